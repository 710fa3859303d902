import { toTextKey } from '../../infra/normalized-text-key.js';
import { channelDescription, channelName } from '../../core/channels/index.js';

/** A channel that a subscription request names. The description is used if the request creates the channel. */
export interface RequestedChannel {
  readonly name: string;
  readonly description: string;
  readonly color: string | undefined;
}

/**
 * Returns the channels that a subscription request names, without duplicates, in a map whose keys are normalized names.
 *
 * @throws AppError BAD_REQUEST for names and descriptions that cannot be stored
 */
export function toRequestedChannels(
  sent: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly color?: string | undefined;
  }[],
): Map<string, RequestedChannel> {
  return new Map(
    sent.map(({ name: text, description = '', color }) => {
      const name = channelName(text);
      return [toTextKey(name), { name, description: channelDescription(description), color }];
    }),
  );
}
