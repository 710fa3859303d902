import type { Tx } from '@switchboard/database';
import { messageFlagBits, topicIdSql } from '../../core/messages/index.js';

/** Range of unread messages to mark as read: all messages of a user, or the messages of one channel or topic. */
export interface UnreadMessagesToMark {
  readonly recipientId: number | null;
  readonly topicKey: string | null;
}

/** Result of one transaction that marked unread messages as read. */
export interface MarkedReadBatchResult {
  /** Ids of the messages that the transaction marked as read, in ascending order. */
  readonly messageIds: number[];
  /** Id of the last marked message if the batch is full and more unread messages may follow; null otherwise. */
  readonly last: number | null;
}

/**
 * Marks the oldest unread messages of a user as read, in one statement. The statement is planned at each execution,
 * because the best plan depends on the number of unread messages.
 * @param part `most`: maximum number of messages to mark; `after`: only messages with larger ids are marked
 */
export async function markOldestUnreadMessagesRead(
  tx: Tx,
  userId: number,
  { recipientId, topicKey }: UnreadMessagesToMark,
  part: { readonly after: number; readonly most: number },
): Promise<MarkedReadBatchResult> {
  const text = recipientId === null ? markAllReadSql : topicKey === null ? markChannelReadSql : markTopicReadSql;
  const values = [userId, part.most, part.after, recipientId, topicKey].filter((value) => value !== null);
  const { rows } = await tx.query<{ ids: number[]; last: number | null }>({ text, values, planned: 'each time' });
  const { ids = [], last = null } = rows[0] ?? {};
  return { messageIds: ids, last };
}

/**
 * Returns SQL that marks selected rows of `user_messages` as read. Only the update locks the rows, because a separate
 * lock statement would double the time. `= ANY` with one id forces a nested loop join, so that rows are locked in
 * ascending order.
 *
 * @param unread SQL `SELECT um.message_id FROM user_messages um ...` of unread messages of the user `$1` with ids above
 *   `$3`
 */
const createMarkRowsReadSql = (unread: string): string => `
  WITH batch AS MATERIALIZED (${unread} ORDER BY um.message_id LIMIT $2), marked AS (
    UPDATE user_messages um SET flags = um.flags | ${messageFlagBits.read} FROM batch
    WHERE um.user_id = $1 AND um.message_id = ANY (ARRAY[batch.message_id]) AND um.flags & ${messageFlagBits.read} = 0
    RETURNING um.message_id
  )
  SELECT (SELECT coalesce(array_agg(message_id ORDER BY message_id), '{}') FROM marked) AS ids,
    (SELECT max(message_id) FROM batch HAVING count(*) = $2) AS last`;

const markAllReadSql = createMarkRowsReadSql(
  `SELECT um.message_id FROM user_messages um
   WHERE um.user_id = $1 AND um.flags & ${messageFlagBits.read} = 0 AND um.message_id > $3`,
);

/**
 * SQL that selects the user's unread channel messages. The lower bound of the message id is applied to both joined
 * tables, because PostgreSQL does not derive the second condition.
 */
const unreadInChannelsSql = `SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id
   WHERE um.user_id = $1 AND um.flags & ${messageFlagBits.read} = 0 AND um.message_id > $3 AND m.id > $3`;

const markChannelReadSql = createMarkRowsReadSql(`${unreadInChannelsSql} AND m.recipient_id = $4`);

const markTopicReadSql = createMarkRowsReadSql(`${unreadInChannelsSql} AND m.topic_id = ${topicIdSql('$4', '$5')}`);
