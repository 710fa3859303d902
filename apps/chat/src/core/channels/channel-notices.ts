import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import type { ChannelChange } from './channel-changes.js';
import type { LockedChannel } from './lock-channels.repository.js';

/**
 * Posts notifications about a channel into it. Declared here and implemented beside subscriptions, because channels may
 * not depend on messages.
 */
export abstract class ChannelNotices {
  /** Prepares the context of notices. Before the transaction: it outlives a failed one. */
  abstract prepare(): Promise<number>;

  /** Posts the notifications of a written change to the locked channel. */
  abstract postChanges(tx: Tx, actor: ChatActor, change: ChannelChange, clientId: number): Promise<void>;

  /** Posts the notification that the locked channel is about to be archived. */
  abstract postArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void>;
}
