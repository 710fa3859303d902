import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import type { ChannelChange } from './channel-changes.js';
import type { LockedChannel } from './lock-channels.repository.js';

/**
 * Tells in a channel itself what became of it. Declared here and made beside subscriptions: messages know channels, and
 * channels nothing of messages.
 */
export abstract class ChannelNotices {
  /** Prepares the context of notices. Before the transaction: it outlives a failed one. */
  abstract prepare(): Promise<number>;

  /** Tells of a change that was written, to a channel that is held. */
  abstract postChanges(tx: Tx, actor: ChatActor, change: ChannelChange, clientId: number): Promise<void>;

  /** Tells that a channel, which is held, is about to be archived. */
  abstract postArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void>;
}
