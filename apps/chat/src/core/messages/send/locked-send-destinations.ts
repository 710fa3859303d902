import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { type ChannelDestination, getChannelDestination } from './channel-destination.repository.js';
import type { ChannelReference } from './parse-recipients.js';

/**
 * Destinations of all channel messages of one transaction, which must have locked all senders and channels before its
 * first read. Reads the destination of each pair of sender and channel once. If the check of a pair fails, each use of
 * the pair throws the error.
 */
export class LockedSendDestinations {
  readonly #byPair = new Map<string, Promise<ChannelDestination>>();

  /**
   * Returns the channel as the destination of a message by the sender.
   *
   * @throws ApplicationError with the codes of `getChannelDestination`
   */
  getDestinationForSender(tx: Tx, actor: ChatActor, reference: ChannelReference): Promise<ChannelDestination> {
    const pair = `${actor.id} ${JSON.stringify(reference)}`;
    const known = this.#byPair.get(pair);
    if (known !== undefined) return known;
    const read = getChannelDestination(tx, actor, reference);
    // Destinations may be read concurrently. Each caller receives the error when it awaits its own destination.
    read.catch(() => undefined);
    this.#byPair.set(pair, read);
    return read;
  }
}
