import type { SqlReader } from '../../access/sql-reader.js';
import { shownTopicSql, topicJoin } from '../messages/index.js';

/** A topic under the name that its newest message gave it, in whatever case. */
export interface TopicRow {
  name: string;
  max_id: number;
}

/** The topics of a channel, newest first: one index entry a topic for its newest message, however many it has. */
export async function listAllTopics(tx: SqlReader, channelId: number): Promise<TopicRow[]> {
  const { rows } = await tx.query<TopicRow>(
    `SELECT ${shownTopicSql} AS name, m.id AS max_id
     FROM recipients r JOIN topics mt ON mt.recipient_id = r.id
     CROSS JOIN LATERAL (SELECT * FROM messages WHERE topic_id = mt.id ORDER BY id DESC LIMIT 1) m
     WHERE r.channel_id = $1 ORDER BY m.id DESC`,
    [channelId],
  );
  return rows;
}

/** The topics of what the user received in a channel, newest first. */
export async function listReceivedTopics(tx: SqlReader, channelId: number, userId: number): Promise<TopicRow[]> {
  const { rows } = await tx.query<TopicRow>(
    `SELECT name, max_id FROM (
       SELECT DISTINCT ON (m.topic_id) ${shownTopicSql} AS name, m.id AS max_id
       FROM recipients r JOIN messages m ON m.recipient_id = r.id ${topicJoin}
       JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
       WHERE r.channel_id = $1 ORDER BY m.topic_id, m.id DESC) topic
     ORDER BY max_id DESC`,
    [channelId, userId],
  );
  return rows;
}
