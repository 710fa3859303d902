import type { Tx } from '@switchboard/database';
import { flagBit, topicId } from '../messages/index.js';

/** Which unread messages: all, those of a channel, or those of one of its topics. */
export interface UnreadScope {
  readonly recipientId: number | null;
  readonly topicKey: string | null;
}

/** Messages of a batch that were marked. */
export interface MarkedBatch {
  /** Ascending. */
  readonly messageIds: number[];
  /** True if more unread messages may follow. */
  readonly isFull: boolean;
}

/** Marks the oldest unread messages of a user as read, at most so many: one statement. */
export async function markOldestRead(tx: Tx, userId: number, scope: UnreadScope, most: number): Promise<MarkedBatch> {
  const { recipientId, topicKey } = scope;
  const { rows } = await tx.query<{ ids: number[]; found: number }>(
    recipientId === null ? markAllSql : markPlaceSql,
    recipientId === null ? [userId, most] : [userId, most, recipientId, topicKey],
  );
  const { ids = [], found = 0 } = rows[0] ?? {};
  return { messageIds: ids, isFull: found === most };
}

/**
 * Rows are locked by the update alone, which takes half the time of a lock and an update. `= ANY` of one id leaves a
 * nested loop as the only join, so that they are locked in ascending order.
 *
 * @param unread `SELECT um.message_id FROM user_messages um ...` of the user `$1`
 */
const markSql = (unread: string): string => `
  WITH batch AS MATERIALIZED (${unread} ORDER BY um.message_id LIMIT $2), marked AS (
    UPDATE user_messages um SET flags = um.flags | ${flagBit.read} FROM batch
    WHERE um.user_id = $1 AND um.message_id = ANY (ARRAY[batch.message_id]) AND um.flags & ${flagBit.read} = 0
    RETURNING um.message_id
  )
  SELECT (SELECT coalesce(array_agg(message_id ORDER BY message_id), '{}') FROM marked) AS ids,
    (SELECT count(*) FROM batch) AS found`;

const markAllSql = markSql(
  `SELECT um.message_id FROM user_messages um WHERE um.user_id = $1 AND um.flags & ${flagBit.read} = 0`,
);

const markPlaceSql = markSql(
  `SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id
   WHERE um.user_id = $1 AND um.flags & ${flagBit.read} = 0 AND m.recipient_id = $3
     AND ($4::text IS NULL OR m.topic_id = ${topicId('$3', '$4')})`,
);
