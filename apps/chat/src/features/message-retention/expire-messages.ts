import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { lockPopulation } from '../../core/access/population-lock.js';
import type { ChatEvents } from '../../events/chat-events.js';
import { lockChannels } from '../../core/channels/index.js';
import { byTopic, deleteMessages } from '../message-deletion/index.js';
import type { MessageReaders } from '../../core/message-access/index.js';
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
  /** Maximum number of rows deleted in one transaction: messages and the rows of their recipients. */
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
  const conversations = await listExpiringConversations(tools.database, now);
  await runAll(
    conversations.map((conversation) => async () => {
      let isDone = false;
      while (!isDone && !signal.aborted) {
        isDone = await tools.database.inTransaction((tx) => expireBatch(tx, tools, conversation, now));
      }
    }),
  );
}

/** @returns whether nothing is left of what has to go */
async function expireBatch(
  tx: Tx,
  tools: RetentionTools,
  { realmId, recipientId, channelId }: ExpiringConversation,
  now: Date,
): Promise<boolean> {
  await lockPopulation(tx, realmId, 'shared');
  const ids = channelId === null ? [] : [channelId];
  const [channel = null] = ids.length === 0 ? [] : await lockChannels(tx, realmId, { ids }, 'settings');
  // How long messages are kept is read anew: it may have changed before the channel was held.
  const messages = await lockExpiredMessages(tx, recipientId, now, tools.batchSize);
  const [first] = messages;
  if (first === undefined) return true;
  await deleteMessages(tx, tools, { realmId, channel, topics: byTopic(messages) });
  return !first.isFull;
}
