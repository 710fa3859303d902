import type { Tx } from '@switchboard/database';
import { defineTopic, type Dispatcher, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import { lockChannels } from '../../core/channels/index.js';
import { type BatchPace, lockBatch } from '../../core/message-access/index.js';
import { byTopic, deleteMessages } from '../message-deletion/index.js';
import { SqlParameters } from '../../core/messages/index.js';
import { paceOf, type RetentionTools } from './expire-messages.js';
import { runAll } from '../../infra/run-all.js';
import { lockRealmMembership } from '../../core/locks.js';

/** Outbox message that starts the deletion of all messages of a deleted user, without waiting for the scheduled run. */
export const userMessageDeletion = defineTopic({
  name: 'chat.doomed-senders',
  version: 1,
  payload: z.strictObject({ userId: z.int() }),
});

/** Kinds of messages to delete when an account is deactivated. */
export interface DeletedMessageKinds {
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/** Schedules the deletion of an account's messages of these kinds, which starts after the commit. */
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
  outbox.add(transactionHandle(tx), userMessageDeletion, { userId });
}

/**
 * Returns the handler that starts the deletion immediately.
 * @param begin adds the deletion job
 */
export function userMessageDeletionDispatcher(begin: () => Promise<void>): Dispatcher<{ userId: number }> {
  return async () => ({ afterCommit: begin });
}

/**
 * Stops the deletion of an account's messages; those not deleted yet remain. The caller must have locked the realm
 * membership, exclusively if messages of the account may be under deletion.
 */
export async function cancelMessageDeletion(tx: Tx, userId: number): Promise<void> {
  await tx.query('DELETE FROM doomed_senders WHERE user_id = $1', [userId]);
}

interface Conversation {
  /** Id of the sender's first message in the conversation. */
  readonly messageId: number;
  readonly recipientId: number;
  readonly channelId: number | null;
}

/**
 * Deletes the messages of deleted users, one batch of one conversation per transaction. A failing account does not stop
 * the deletion for others.
 * @throws the error of an account, or AggregateError of several, when all others are done
 */
export async function deleteMessagesOfDeletedUsers(tools: RetentionTools, signal: AbortSignal): Promise<void> {
  const { rows } = await tools.database.query<{ user_id: number; realm_id: number }>(
    'SELECT d.user_id, u.realm_id FROM doomed_senders d JOIN users u ON u.id = d.user_id ORDER BY d.user_id',
  );
  await runAll(rows.map((row) => () => deleteMessagesOf(tools, row.realm_id, row.user_id, signal)));
}

async function deleteMessagesOf(
  tools: RetentionTools,
  realmId: number,
  userId: number,
  signal: AbortSignal,
): Promise<void> {
  // Start after the last message found, so that messages of other kinds are read only once.
  let from = 0;
  const pace = paceOf(tools);
  for (;;) {
    if (signal.aborted) return;
    const conversation = await findConversation(tools.database, userId, from);
    if (conversation === undefined) break;
    from = conversation.messageId;
    const isFull = await tools.database.inTransaction((tx) =>
      deleteBatch(tx, tools, { realmId, userId, conversation, pace }),
    );
    pace.committed(isFull);
  }
  await tools.database.inTransaction((tx) => endDeletion(tx, realmId, userId));
}

/** Ends the deletion, unless the account was deactivated again meanwhile with messages to delete. */
async function endDeletion(tx: Tx, realmId: number, userId: number): Promise<void> {
  await lockRealmMembership(tx, realmId, 'shared');
  if ((await findConversation(tx, userId, 0)) === undefined) await cancelMessageDeletion(tx, userId);
}

/** Returns FROM and WHERE clauses of an account's messages to delete. @param userId SQL of the id */
const messagesToDelete = (userId: string): string => `
  messages m JOIN recipients r ON r.id = m.recipient_id LEFT JOIN channels c ON c.id = r.channel_id
  JOIN doomed_senders d ON d.user_id = m.sender_id
  WHERE m.sender_id = ${userId}
    AND CASE WHEN c.id IS NULL THEN d.direct WHEN c.is_private THEN d.private_channels ELSE d.public_channels END`;

async function findConversation(database: Tx, userId: number, from: number): Promise<Conversation | undefined> {
  const { rows } = await database.query<Conversation>(
    `SELECT m.id AS "messageId", r.id AS "recipientId", r.channel_id AS "channelId"
     FROM ${messagesToDelete('$1')} AND m.id >= $2 ORDER BY m.id LIMIT 1`,
    [userId, from],
  );
  return rows[0];
}

interface DeletionBatch {
  readonly realmId: number;
  readonly userId: number;
  readonly conversation: Conversation;
  readonly pace: BatchPace;
}

/** @returns true if the batch reached its limits */
async function deleteBatch(
  tx: Tx,
  tools: RetentionTools,
  { realmId, userId, conversation: { recipientId, channelId }, pace }: DeletionBatch,
): Promise<boolean> {
  await lockRealmMembership(tx, realmId, 'shared');
  const ids = channelId === null ? [] : [channelId];
  const [channel = null] = ids.length === 0 ? [] : await lockChannels(tx, realmId, { ids }, 'settings');
  pace.locked();
  // Since the conversation was found, the account may have been reactivated or the channel's privacy changed.
  const sql = new SqlParameters();
  const select = `SELECT m.id FROM ${messagesToDelete(sql.add(userId))} AND m.recipient_id = ${sql.add(recipientId)}`;
  const { messages, isFull } = await lockBatch(tx, { select, order: 'ASC', countsRecipients: true }, sql, pace.size);
  if (messages.length > 0) await deleteMessages(tx, tools, { realmId, channel, topics: byTopic(messages) });
  return isFull;
}
