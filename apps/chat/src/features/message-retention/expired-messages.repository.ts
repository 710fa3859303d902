import type { Tx } from '@switchboard/database';
import { type MessageBatchSize, lockMessageBatch, type LockedMessageBatch } from '../../core/message-access/index.js';
import { NumberedSqlParameters } from '../../core/messages/index.js';

/** A conversation whose oldest message has expired. */
export interface ConversationWithExpiredMessages {
  readonly recipientId: number;
  readonly realmId: number;
  /** Id of the channel to which the conversation belongs; null for direct messages. */
  readonly channelId: number | null;
}

/** SQL that joins conversations with the channel and the realm, which contain the retention settings. */
const conversationsWithRetentionSql = `recipients r JOIN realms realm ON realm.id = r.realm_id
  LEFT JOIN channels c ON c.id = r.channel_id`;

const retentionDaysSql = `coalesce(c.message_retention_days, (realm.settings ->> 'message_retention_days')::int, -1)`;

/**
 * Returns the SQL condition that a message is older than the retention time. The condition compares seconds rather than
 * dates, because a retention time may exceed the range of SQL dates.
 */
const createMessageExpiredSql = (sentAt: string, now: string): string =>
  `(${retentionDaysSql} > 0 AND extract(epoch FROM ${now}::timestamptz - ${sentAt}) > ${retentionDaysSql} * 86400.0)`;

/**
 * Lists the conversations with expired messages. Reads only the oldest message of each conversation, because ids ascend
 * with time. A range condition on the conversation id makes PostgreSQL use the index of messages by conversation. With
 * an equality condition, PostgreSQL might scan all messages by id.
 */
export async function listConversationsWithExpiredMessages(
  tx: Tx,
  now: Date,
): Promise<ConversationWithExpiredMessages[]> {
  const { rows } = await tx.query<ConversationWithExpiredMessages>(
    `SELECT r.id AS "recipientId", r.realm_id AS "realmId", r.channel_id AS "channelId" ${conversationsWithExpiredMessagesSql} ORDER BY r.id`,
    [now],
  );
  return rows;
}

/** Returns true if the oldest message of a conversation has expired at the time `now`. */
export async function hasExpiredMessages(tx: Tx, recipientId: number, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(`SELECT ${conversationsWithExpiredMessagesSql} AND r.id = $2`, [
    now,
    recipientId,
  ]);
  return rowCount > 0;
}

/** SQL FROM and WHERE clauses of conversations whose oldest message has expired at the time `$1`. */
const conversationsWithExpiredMessagesSql = `FROM ${conversationsWithRetentionSql}
  CROSS JOIN LATERAL (
    SELECT m.date_sent FROM messages m WHERE m.recipient_id BETWEEN r.id AND r.id ORDER BY m.recipient_id, m.id LIMIT 1
  ) oldest
  WHERE ${createMessageExpiredSql('oldest.date_sent', '$1')}`;

/** Locks and returns the oldest expired messages of a conversation, up to the maximum size of a batch. */
export async function lockExpiredMessages(
  tx: Tx,
  recipientId: number,
  now: Date,
  size: MessageBatchSize,
): Promise<LockedMessageBatch> {
  const sql = new NumberedSqlParameters();
  const select = `SELECT m.id FROM ${conversationsWithRetentionSql} JOIN messages m ON m.recipient_id = r.id
    WHERE r.id = ${sql.addValue(recipientId)} AND ${createMessageExpiredSql('m.date_sent', sql.addValue(now))}`;
  return lockMessageBatch(tx, { select, order: 'ASC', countsRecipients: true }, sql, size);
}
