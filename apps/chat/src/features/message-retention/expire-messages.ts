import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { lockChannels } from '../../core/channels/index.js';
import { groupMessagesByTopic, deleteMessages } from '../message-deletion/index.js';
import {
  AdaptiveMessageBatchSize,
  maxMessageBatchSize,
  type MessageReaders,
  emitChangedFirstMessages,
} from '../../core/message-access/index.js';
import {
  type ConversationWithExpiredMessages,
  hasExpiredMessages,
  listConversationsWithExpiredMessages,
  lockExpiredMessages,
} from './expired-messages.repository.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Dependencies and limits of the job that deletes messages older than the configured retention time. */
export interface DeleteExpiredMessagesDependencies {
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly readers: MessageReaders;
  readonly clock: Clock;
  /** Maximum number of `user_messages` rows that one transaction of the retention job deletes. */
  readonly batchSize: number;
}

/**
 * Deletes messages older than the retention time of the channel. Messages of channels without a retention time use the
 * realm's retention time (docs/contract/chat.md 2.A, 4.3). Each transaction deletes a batch, oldest messages first.
 * After a crash the next run continues with the remaining messages. Several processes may run this function
 * concurrently. If the deletion in one conversation fails, other conversations are still processed.
 *
 * @param signal When aborted, the function stops after the current batch.
 * @throws the error of a conversation, or AggregateError of several errors, after all other conversations are done
 */
export async function deleteExpiredMessages(
  tools: DeleteExpiredMessagesDependencies,
  signal: AbortSignal,
): Promise<void> {
  const now = new Date(tools.clock.now());
  const pace = createAdaptiveDeletionBatchSize(tools);
  const conversations = await listConversationsWithExpiredMessages(tools.database, now);
  await runMaintenanceSteps(
    conversations.map((conversation) => async () => {
      let done: ExpiredMessageBatchResult = { isFull: false, mayFollow: true, hasDeleted: false };
      try {
        while (done.mayFollow && !signal.aborted) {
          const { hasDeleted } = done;
          done = await tools.database.inTransaction((tx) =>
            deleteExpiredMessageBatch(tx, tools, conversation, { now, pace, hasDeleted }),
          );
          pace.adaptSizeAfterCommit(done.isFull);
        }
      } finally {
        // The run stopped or failed before the last batch, which would have emitted the event.
        if (done.mayFollow && done.hasDeleted) {
          await tools.database.inTransaction((tx) => emitOldestMessageOfChannel(tx, tools, conversation));
        }
      }
    }),
  );
}

/** Returns an object that adapts the number of messages deleted per batch, up to the configured maximum of rows. */
export function createAdaptiveDeletionBatchSize({
  clock,
  batchSize,
}: Pick<DeleteExpiredMessagesDependencies, 'clock' | 'batchSize'>): AdaptiveMessageBatchSize {
  return new AdaptiveMessageBatchSize(clock, { ...maxMessageBatchSize, rows: batchSize });
}

/** Result of the deletion of one batch of expired messages. */
interface ExpiredMessageBatchResult {
  /** True if the deletion batch reached its maximum number of messages or rows. */
  readonly isFull: boolean;
  /** True if more expired messages may remain in the conversation after this batch. */
  readonly mayFollow: boolean;
  /** True if the current batch or an earlier batch deleted messages of the conversation. */
  readonly hasDeleted: boolean;
}

/**
 * Deletes a batch of the oldest expired messages of a conversation. Only the last batch emits an event with the
 * channel's new oldest message. The event is expensive, because all users who see the channel receive the event and
 * senders wait while the recipients are listed. After a crash, the next run emits the event if that run deletes
 * messages.
 */
async function deleteExpiredMessageBatch(
  tx: Tx,
  tools: DeleteExpiredMessagesDependencies,
  { realmId, recipientId, channelId }: ConversationWithExpiredMessages,
  {
    now,
    pace,
    hasDeleted,
  }: { readonly now: Date; readonly pace: AdaptiveMessageBatchSize; readonly hasDeleted: boolean },
): Promise<ExpiredMessageBatchResult> {
  await lockRealmMembership(tx, realmId, 'shared');
  const ids = channelId === null ? [] : [channelId];
  const [channel = null] = ids.length === 0 ? [] : await lockChannels(tx, realmId, { ids }, 'settings');
  pace.recordLockTime();
  // The retention time may have changed before the channel was locked, so it is checked again here.
  const { messages, isFull } = await lockExpiredMessages(tx, recipientId, now, pace.size);
  if (messages.length > 0) {
    await deleteMessages(tx, tools, {
      realmId,
      channel,
      recipientId,
      topics: groupMessagesByTopic(messages),
      emitsFirstMessage: false,
    });
  }
  const done = { isFull, mayFollow: isFull && (await hasExpiredMessages(tx, recipientId, now)) };
  const changes = hasDeleted || messages.length > 0;
  if (channel !== null && changes && !done.mayFollow)
    await emitChangedFirstMessages(tx, tools.events, [channel], new Map());
  return { ...done, hasDeleted: changes };
}

/** Emits an event with the new oldest message of the conversation's channel. */
async function emitOldestMessageOfChannel(
  tx: Tx,
  { events }: DeleteExpiredMessagesDependencies,
  { realmId, channelId }: ConversationWithExpiredMessages,
): Promise<void> {
  if (channelId === null) return;
  await lockRealmMembership(tx, realmId, 'shared');
  const channels = await lockChannels(tx, realmId, { ids: [channelId] }, 'settings');
  await emitChangedFirstMessages(tx, events, channels, new Map());
}
