import type { SqlReader } from '../../access/sql-reader.js';

/** A topic under the name that its newest message gave it, in whatever case. */
export interface TopicRow {
  name: string;
  max_id: number;
}

/**
 * The topics of a channel, newest first, from one index entry a topic: the cost grows with the topics, not with the
 * messages.
 */
export async function listAllTopics(tx: SqlReader, channelId: number): Promise<TopicRow[]> {
  const { rows } = await tx.query<TopicRow>(
    `WITH RECURSIVE topic AS (
       (SELECT m.recipient_id, m.topic_key, m.topic, m.id FROM recipients r JOIN messages m ON m.recipient_id = r.id
        WHERE r.channel_id = $1 ORDER BY m.topic_key DESC, m.id DESC LIMIT 1)
       UNION ALL
       SELECT newest.* FROM topic CROSS JOIN LATERAL (
         SELECT m.recipient_id, m.topic_key, m.topic, m.id FROM messages m
         WHERE m.recipient_id = topic.recipient_id AND m.topic_key < topic.topic_key
         ORDER BY m.topic_key DESC, m.id DESC LIMIT 1) newest
     )
     SELECT topic AS name, id AS max_id FROM topic ORDER BY id DESC`,
    [channelId],
  );
  return rows;
}

/** The topics of what the user received in a channel, newest first. */
export async function listReceivedTopics(tx: SqlReader, channelId: number, userId: number): Promise<TopicRow[]> {
  const { rows } = await tx.query<TopicRow>(
    `SELECT name, max_id FROM (
       SELECT DISTINCT ON (m.topic_key) m.topic AS name, m.id AS max_id
       FROM recipients r JOIN messages m ON m.recipient_id = r.id
       JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
       WHERE r.channel_id = $1 ORDER BY m.topic_key, m.id DESC) topic
     ORDER BY max_id DESC`,
    [channelId, userId],
  );
  return rows;
}
