import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { lockRealmMembership } from '../../core/access/realm-membership-lock.js';
import type { ChatEvents } from '../../events/chat-events.js';
import { lockChannels } from '../../core/channels/index.js';
import { byTopic, deleteMessages } from '../message-deletion/index.js';
import { BatchPace, largestBatch, type MessageReaders } from '../../core/message-access/index.js';
import {
  type ExpiringConversation,
  listExpiringConversations,
  lockExpiredMessages,
} from './expired-messages.repository.js';
import { runAll } from '../../infra/run-all.js';

/** Services and limits of the retention job. */
export interface RetentionTools {
  readonly database: Database;
  readonly events: ChatEvents;
  readonly readers: MessageReaders;
  readonly clock: Clock;
  /** Maximum number of rows of recipients deleted in one transaction. */
  readonly batchSize: number;
}

/**
 * Deletes messages that are older than the retention time of their channel, or else of the realm
 * (docs/contract/chat.md 2.A, 4.3). Each transaction deletes a batch, oldest messages first: after a crash the next run
 * goes on there, and two runs at once delete no message twice. A conversation that fails does not keep other
 * conversations from being processed.
 *
 * @param signal Ends the work after the batch that is under way.
 * @throws the error of a conversation, or AggregateError of several, when all others are done
 */
export async function expireMessages(tools: RetentionTools, signal: AbortSignal): Promise<void> {
  const now = new Date(tools.clock.now());
  const pace = paceOf(tools);
  const conversations = await listExpiringConversations(tools.database, now);
  await runAll(
    conversations.map((conversation) => async () => {
      let isFull = true;
      while (isFull && !signal.aborted) {
        isFull = await tools.database.inTransaction((tx) => expireBatch(tx, tools, conversation, now, pace));
        pace.committed(isFull);
      }
    }),
  );
}

/** Returns the pace of batches, which are at most as large as configured. */
export function paceOf({ clock, batchSize }: Pick<RetentionTools, 'clock' | 'batchSize'>): BatchPace {
  return new BatchPace(clock, { ...largestBatch, rows: batchSize });
}

/** @returns true if messages that have expired may be left */
async function expireBatch(
  tx: Tx,
  tools: RetentionTools,
  { realmId, recipientId, channelId }: ExpiringConversation,
  now: Date,
  pace: BatchPace,
): Promise<boolean> {
  await lockRealmMembership(tx, realmId, 'shared');
  const ids = channelId === null ? [] : [channelId];
  const [channel = null] = ids.length === 0 ? [] : await lockChannels(tx, realmId, { ids }, 'settings');
  pace.locked();
  // The retention time may have changed before the channel was locked.
  const { messages, isFull } = await lockExpiredMessages(tx, recipientId, now, pace.size);
  if (messages.length > 0) await deleteMessages(tx, tools, { realmId, channel, topics: byTopic(messages) });
  return isFull;
}
