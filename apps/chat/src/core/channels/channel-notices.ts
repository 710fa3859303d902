import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import type { ChannelChange } from './channel-changes.js';
import type { LockedChannel } from './lock-channels.repository.js';

/**
 * Posts Notification Bot messages about a channel into that channel. Implemented in the slice of subscriptions, because
 * channels must not depend on messages.
 */
export abstract class ChannelNotices {
  /**
   * Creates the client row that the messages refer to, and returns its id. Called before the transaction, because the
   * row remains if the transaction fails.
   */
  abstract prepare(): Promise<number>;

  /** Posts the messages about a written change to the locked channel. */
  abstract postChanges(tx: Tx, actor: ChatActor, change: ChannelChange, clientId: number): Promise<void>;

  /** Posts the message that the locked channel is about to be archived. */
  abstract postArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void>;
}
