import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { parseChannelDescription, parseChannelName } from '../../core/channels/index.js';

/** A channel that a subscription request names. The description is used if the request creates the channel. */
export interface RequestedChannel {
  readonly name: string;
  readonly description: string;
  readonly color: string | undefined;
}

/**
 * Returns the channels that a subscription request names, without duplicates, in a map whose keys are normalized names.
 *
 * @throws ApplicationError BAD_REQUEST for names and descriptions that cannot be stored
 */
export function parseRequestedSubscriptionChannels(
  sent: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly color?: string | undefined;
  }[],
): Map<string, RequestedChannel> {
  return new Map(
    sent.map(({ name: text, description = '', color }) => {
      const name = parseChannelName(text);
      return [normalizeTextForComparison(name), { name, description: parseChannelDescription(description), color }];
    }),
  );
}
