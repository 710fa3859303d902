import type { Tx } from '@switchboard/database';

/**
 * Removes the topics of a channel that have no messages any more. Senders of the channel have to be locked out, or a
 * message may refer to a topic that is removed.
 *
 * @param topicKeys keys of the topics that may be empty
 */
export async function removeEmptyTopics(tx: Tx, recipientId: number, topicKeys: readonly string[]): Promise<void> {
  await tx.query(
    `DELETE FROM topics t WHERE t.recipient_id = $1 AND t.topic_key = ANY($2::text[])
       AND (SELECT id FROM messages WHERE topic_id = t.id LIMIT 1) IS NULL`,
    [recipientId, topicKeys],
  );
}
