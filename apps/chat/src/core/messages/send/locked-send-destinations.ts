import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { type ChannelDestination, getChannelDestination } from './channel-destination.repository.js';
import type { ChannelReference } from './parse-recipients.js';

/**
 * Recipients of all channel messages of one transaction, which has locked all senders and channels before its first
 * read. Each pair of sender and channel is read once. If its check fails, each use throws the error.
 */
export class LockedSendDestinations {
  readonly #byPair = new Map<string, Promise<ChannelDestination>>();

  /**
   * Returns the channel as the destination of a message by the sender.
   *
   * @throws AppError as `getChannelDestination` does
   */
  get(tx: Tx, actor: ChatActor, reference: ChannelReference): Promise<ChannelDestination> {
    const pair = `${actor.id} ${JSON.stringify(reference)}`;
    const known = this.#byPair.get(pair);
    if (known !== undefined) return known;
    const read = getChannelDestination(tx, actor, reference);
    // Several may be read at the same time; an error is thrown to the caller that uses the destination.
    read.catch(() => undefined);
    this.#byPair.set(pair, read);
    return read;
  }
}
