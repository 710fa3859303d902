import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChannelChangeWithAudiences } from './emit-channel-changes.js';
import type { LockedChannel } from './lock-channels.repository.js';

/**
 * Posts Notification Bot messages about a channel into that channel. Implemented by the feature module of
 * subscriptions, because the module of channels must not depend on messages.
 */
export abstract class ChannelNotificationMessagePoster {
  /**
   * Creates the database row of the client `Internal`, which sends the messages, and returns the row's id. Must be
   * called before the transaction, because the row must remain in the database if the transaction fails.
   */
  abstract createInternalClientRow(): Promise<number>;

  /** Posts messages that announce a written change of a channel. The transaction must have locked the channel. */
  abstract postChannelChanges(
    tx: Tx,
    actor: ChatActor,
    change: ChannelChangeWithAudiences,
    clientId: number,
  ): Promise<void>;

  /** Posts the message that announces the archiving of a channel. The transaction must have locked the channel. */
  abstract postChannelArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void>;
}
