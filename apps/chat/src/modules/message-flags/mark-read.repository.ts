import type { Tx } from '@switchboard/database';
import { flagBit, topicId } from '../messages/index.js';

/** Which unread messages: all, those of a channel, or those of one of its topics. */
export interface UnreadScope {
  readonly recipientId: number | null;
  readonly topicKey: string | null;
}

/** Marks the oldest unread messages of a user as read, at most so many: one statement. @returns their ids, ascending */
export async function markOldestRead(tx: Tx, userId: number, scope: UnreadScope, most: number): Promise<number[]> {
  const { rows } = await tx.query<{ message_id: number }>(
    `WITH unread AS (
       SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id
       WHERE um.user_id = $1 AND um.flags & ${flagBit.read} = 0
         AND ($2::int IS NULL OR m.recipient_id = $2) AND ($3::text IS NULL OR m.topic_id = ${topicId('$2', '$3')})
       ORDER BY um.message_id LIMIT $4 FOR NO KEY UPDATE OF um
     )
     UPDATE user_messages um SET flags = um.flags | ${flagBit.read} FROM unread
     WHERE um.user_id = $1 AND um.message_id = unread.message_id
     RETURNING um.message_id`,
    [userId, scope.recipientId, scope.topicKey, most],
  );
  return rows.map(({ message_id: id }) => id).toSorted((a, b) => a - b);
}
