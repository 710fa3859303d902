import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type OutboxRowsDispatcher, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import { lockChannels } from '../../core/channels/index.js';
import { type AdaptiveMessageBatchSize, lockMessageBatch } from '../../core/message-access/index.js';
import { groupMessagesByTopic, deleteMessages } from '../message-deletion/index.js';
import { NumberedSqlParameters } from '../../core/messages/index.js';
import { createAdaptiveDeletionBatchSize, type DeleteExpiredMessagesDependencies } from './expire-messages.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/**
 * Outbox message type that starts the deletion of a deleted user's messages immediately, rather than at the next
 * scheduled run of the job.
 */
export const userMessageDeletionOutboxType = defineOutboxMessage({
  name: 'chat.doomed-senders',
  version: 1,
  payload: z.strictObject({ userId: z.int() }),
});

/**
 * Choice of the messages to delete for a deactivated account: messages in public channels, messages in private
 * channels, and direct messages.
 */
export interface DeletedMessageKinds {
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/**
 * Schedules the deletion of the chosen kinds of messages of an account. The deletion starts after the transaction
 * commits.
 */
export async function scheduleMessageDeletion(
  outbox: Pick<Outbox, 'add'>,
  tx: Tx,
  userId: number,
  kinds: DeletedMessageKinds,
): Promise<void> {
  const { publicChannels, privateChannels, direct } = kinds;
  if (!publicChannels && !privateChannels && !direct) return;
  await tx.query(
    `INSERT INTO doomed_senders AS d (user_id, public_channels, private_channels, direct) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id) DO UPDATE SET public_channels = d.public_channels OR excluded.public_channels,
       private_channels = d.private_channels OR excluded.private_channels, direct = d.direct OR excluded.direct`,
    [userId, publicChannels, privateChannels, direct],
  );
  outbox.add(transactionHandle(tx), userMessageDeletionOutboxType, { userId });
}

/**
 * Returns the outbox handler that starts the deletion of a user's messages immediately.
 *
 * @param begin function that adds the deletion job
 */
export function createUserMessageDeletionDispatcher(
  begin: () => Promise<void>,
): OutboxRowsDispatcher<{ userId: number }> {
  return async () => ({ afterCommit: begin });
}

/**
 * Stops the deletion of an account's messages; the remaining messages are not deleted. The caller must have locked the
 * realm membership. The lock must be exclusive if a deletion of the account's messages may be running.
 */
export async function cancelMessageDeletion(tx: Tx, userId: number): Promise<void> {
  await tx.query('DELETE FROM doomed_senders WHERE user_id = $1', [userId]);
}

/** Ids of the messages to delete that one account sent in one conversation. */
interface ConversationMessagesToDelete {
  readonly recipientId: number;
  readonly channelId: number | null;
  /** Ids of the messages to delete, in ascending order. */
  readonly messageIds: readonly number[];
}

/** Maximum number of an account's messages that one query reads. The messages are then grouped by conversation. */
const maxUserMessagesPerQuery = 20_000;

/**
 * Deletes the messages of deleted users. Each transaction deletes one batch of messages of one conversation. If the
 * deletion fails for one account, other accounts are still processed.
 *
 * @throws the error of an account, or AggregateError of several errors, after all other accounts are done
 */
export async function deleteMessagesOfDeletedUsers(
  tools: DeleteExpiredMessagesDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await tools.database.query<{ user_id: number; realm_id: number }>(
    'SELECT d.user_id, u.realm_id FROM doomed_senders d JOIN users u ON u.id = d.user_id ORDER BY d.user_id',
  );
  await runMaintenanceSteps(rows.map((row) => () => deleteMessagesOfUser(tools, row.realm_id, row.user_id, signal)));
}

/**
 * Deletes the messages of one account. The messages are read before their channels are locked. Messages of the account
 * in one channel can only be found by a scan of all messages of the account.
 */
async function deleteMessagesOfUser(
  tools: DeleteExpiredMessagesDependencies,
  realmId: number,
  userId: number,
  signal: AbortSignal,
): Promise<void> {
  const pace = createAdaptiveDeletionBatchSize(tools);
  let after = 0;
  for (;;) {
    const conversations = await listConversationsToDelete(tools.database, userId, after);
    if (conversations.length === 0) break;
    for (const conversation of conversations) {
      let left = conversation.messageIds;
      while (left.length > 0) {
        if (signal.aborted) return;
        const messageIds = left.slice(0, pace.size.messages);
        const batch = { realmId, userId, conversation: { ...conversation, messageIds }, pace };
        const { isFull, last } = await tools.database.inTransaction((tx) => deleteConversationBatch(tx, tools, batch));
        pace.adaptSizeAfterCommit(isFull);
        left = isFull ? left.filter((id) => id > last) : left.slice(messageIds.length);
      }
    }
    after = Math.max(...conversations.map(({ messageIds }) => messageIds.at(-1) ?? 0));
  }
  await tools.database.inTransaction((tx) => completeMessageDeletion(tx, realmId, userId));
}

/**
 * Removes the request to delete an account's messages. Does nothing if the account was meanwhile deactivated again with
 * more kinds of messages to delete.
 */
async function completeMessageDeletion(tx: Tx, realmId: number, userId: number): Promise<void> {
  await lockRealmMembership(tx, realmId, 'shared');
  const { rowCount } = await tx.query(`SELECT 1 FROM ${createMessagesToDeleteSql('$1')} ORDER BY m.id LIMIT 1`, [
    userId,
  ]);
  if (rowCount === 0) await cancelMessageDeletion(tx, userId);
}

/**
 * Returns SQL FROM and WHERE clauses of an account's messages to delete.
 *
 * @param userId SQL expression for the account's id
 */
const createMessagesToDeleteSql = (userId: string): string => `
  messages m JOIN recipients r ON r.id = m.recipient_id LEFT JOIN channels c ON c.id = r.channel_id
  JOIN doomed_senders d ON d.user_id = m.sender_id
  WHERE m.sender_id = ${userId}
    AND CASE WHEN c.id IS NULL THEN d.direct WHEN c.is_private THEN d.private_channels ELSE d.public_channels END`;

/**
 * Lists the next messages to delete of an account, grouped by conversation.
 *
 * @param after messages up to this id are omitted
 */
async function listConversationsToDelete(
  database: Tx,
  userId: number,
  after: number,
): Promise<ConversationMessagesToDelete[]> {
  const { rows } = await database.query<ConversationMessagesToDelete>(
    `SELECT recipient_id AS "recipientId", channel_id AS "channelId", array_agg(id ORDER BY id) AS "messageIds"
     FROM (SELECT m.id, m.recipient_id, r.channel_id FROM ${createMessagesToDeleteSql('$1')} AND m.id > $2
       ORDER BY m.id LIMIT ${maxUserMessagesPerQuery}) m
     GROUP BY recipient_id, channel_id ORDER BY min(id)`,
    [userId, after],
  );
  return rows;
}

interface UserMessageDeletionBatch {
  readonly realmId: number;
  readonly userId: number;
  readonly conversation: ConversationMessagesToDelete;
  readonly pace: AdaptiveMessageBatchSize;
}

/**
 * Deletes one batch of an account's messages in a conversation.
 *
 * @returns `isFull`: true if messages to delete remain in the conversation; `last`: the largest id of the deleted
 *   messages, or 0
 */
async function deleteConversationBatch(
  tx: Tx,
  tools: DeleteExpiredMessagesDependencies,
  { realmId, userId, conversation: { recipientId, channelId, messageIds }, pace }: UserMessageDeletionBatch,
): Promise<{ readonly isFull: boolean; readonly last: number }> {
  await lockRealmMembership(tx, realmId, 'shared');
  const ids = channelId === null ? [] : [channelId];
  const [channel = null] = ids.length === 0 ? [] : await lockChannels(tx, realmId, { ids }, 'settings');
  pace.recordLockTime();
  // Since the messages were read, the account, a message's channel, or the privacy of the channel may have changed.
  const sql = new NumberedSqlParameters();
  const select = `SELECT m.id FROM ${createMessagesToDeleteSql(sql.addValue(userId))} AND m.recipient_id = ${sql.addValue(recipientId)}
    AND m.id = ANY(${sql.addValue(messageIds)}::bigint[])`;
  const { messages, isFull } = await lockMessageBatch(
    tx,
    { select, order: 'ASC', countsRecipients: true },
    sql,
    pace.size,
  );
  if (messages.length > 0)
    await deleteMessages(tx, tools, { realmId, channel, recipientId, topics: groupMessagesByTopic(messages) });
  return { isFull, last: messages.at(-1)?.id ?? 0 };
}
