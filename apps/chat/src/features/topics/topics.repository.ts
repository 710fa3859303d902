import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { shownTopicSql, topicJoin } from '../../core/messages/index.js';

/** A topic under the name of its newest message, in any letter case. */
export interface TopicRow {
  name: string;
  max_id: number;
}

/**
 * The topics of a channel, newest first: one index entry a topic for its newest message, however many it has. The order
 * begins with `topic_id`, which no other index has: with `topic_id = mt.id ORDER BY id`, PostgreSQL may walk all messages
 * that are newer than those of the topic.
 */
export async function listAllTopics(tx: SqlReader, channelId: number): Promise<TopicRow[]> {
  const { rows } = await tx.query<TopicRow>(
    `SELECT ${shownTopicSql} AS name, m.id AS max_id
     FROM recipients r JOIN topics mt ON mt.recipient_id = r.id
     CROSS JOIN LATERAL (
       SELECT * FROM messages WHERE (topic_id, id) <= (mt.id, 9223372036854775807) ORDER BY topic_id DESC, id DESC LIMIT 1) m
     WHERE r.channel_id = $1 AND m.topic_id = mt.id ORDER BY m.id DESC`,
    [channelId],
  );
  return rows;
}

/** Newest messages of a topic among which one that the user received is looked for first. */
const probed = 100;

/**
 * Messages of the topic `mt`, newest first. Two bounds that the planner does not combine leave only the index of topics
 * for the order, as in {@link listAllTopics}.
 */
const newestFirst = `messages WHERE (topic_id, id) <= (mt.id, 9223372036854775807) AND topic_id >= mt.id
         ORDER BY topic_id DESC, id DESC`;

/**
 * Lists topics of messages that the user received in a channel, newest first. Most users received a recent message of
 * each topic, so that the cost depends on the number of topics; for other topics all received messages are read.
 */
export async function listReceivedTopics(tx: Tx, channelId: number, userId: number): Promise<TopicRow[]> {
  // The condition is a subquery of its own, for a join could be planned to read all that the user received.
  const { rows } = await tx.query<{ topic_id: number; name: string; max_id: number | null }>(
    `SELECT mt.id AS topic_id, ${shownTopicSql} AS name, m.id AS max_id
     FROM recipients r JOIN topics mt ON mt.recipient_id = r.id
     LEFT JOIN LATERAL (
       SELECT * FROM (SELECT * FROM ${newestFirst} LIMIT ${probed}) recent
       WHERE (SELECT true FROM user_messages um WHERE um.user_id = $2 AND um.message_id = recent.id)
       ORDER BY id DESC LIMIT 1) m ON true
     WHERE r.channel_id = $1 AND (m.id IS NOT NULL
       OR EXISTS (SELECT FROM ${newestFirst} OFFSET ${probed} LIMIT 1))`,
    [channelId, userId],
  );
  const found = rows.flatMap(({ name, max_id: maxId }) => (maxId === null ? [] : [{ name, max_id: maxId }]));
  const others = rows.filter((row) => row.max_id === null).map((row) => row.topic_id);
  const older = others.length === 0 ? [] : await listReceivedAmong(tx, others, userId);
  return [...found, ...older].toSorted((a, b) => b.max_id - a.max_id);
}

async function listReceivedAmong(tx: Tx, topicIds: readonly number[], userId: number): Promise<TopicRow[]> {
  // Planned each time: it may begin with the topics or with what the user received.
  const { rows } = await tx.query<TopicRow>({
    text: `SELECT DISTINCT ON (m.topic_id) ${shownTopicSql} AS name, m.id AS max_id
      FROM messages m ${topicJoin} JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
      WHERE m.topic_id = ANY($1::bigint[]) ORDER BY m.topic_id, m.id DESC`,
    values: [topicIds, userId],
    planned: 'each time',
  });
  return rows;
}
