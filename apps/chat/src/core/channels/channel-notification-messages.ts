import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChannelChange } from './emit-channel-changes.js';
import type { LockedChannel } from './lock-channels.repository.js';

/**
 * Posts Notification Bot messages about a channel into that channel. The feature module of subscriptions implements it,
 * because channels must not depend on messages.
 */
export abstract class ChannelNotificationMessages {
  /**
   * Creates the row of the client `Internal`, which sends the messages, and returns its id. Must be called before the
   * transaction, because the row must remain if the transaction fails.
   */
  abstract prepare(): Promise<number>;

  /** Posts the messages that announce a written change of the locked channel. */
  abstract postChanges(tx: Tx, actor: ChatActor, change: ChannelChange, clientId: number): Promise<void>;

  /** Posts the message that announces the archiving of the locked channel. */
  abstract postArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void>;
}
