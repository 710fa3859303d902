import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { shownTopicSql, topicJoin } from '../../core/messages/index.js';

/** A topic, with the name as spelled in its newest message. */
export interface TopicRow {
  name: string;
  max_id: number;
}

/**
 * Lists all topics of a channel, newest first. It reads one index entry per topic, that of the newest message. The
 * order begins with `topic_id` to force the use of that index: with `topic_id = mt.id ORDER BY id`, PostgreSQL may read
 * all messages that are newer than those of the topic.
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

/** Number of newest messages of a topic that are checked first for one that the user received. */
const probed = 100;

/**
 * SQL of the messages of the topic `mt`, newest first. Two bounds that the planner does not combine force the use of
 * the index of topics, as in {@link listAllTopics}.
 */
const newestFirst = `messages WHERE (topic_id, id) <= (mt.id, 9223372036854775807) AND topic_id >= mt.id
         ORDER BY topic_id DESC, id DESC`;

/**
 * Lists topics with messages that the user received, newest first. Most users received a recent message of each topic,
 * so the cost usually depends on the number of topics. For the remaining topics all received messages are read.
 */
export async function listReceivedTopics(tx: Tx, channelId: number, userId: number): Promise<TopicRow[]> {
  // The condition is a subquery, because a join could be planned to read all messages that the user received.
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
  // The statement is planned each time, because it may better begin with the topics or with the received messages.
  const { rows } = await tx.query<TopicRow>({
    text: `SELECT DISTINCT ON (m.topic_id) ${shownTopicSql} AS name, m.id AS max_id
      FROM messages m ${topicJoin} JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
      WHERE m.topic_id = ANY($1::bigint[]) ORDER BY m.topic_id, m.id DESC`,
    values: [topicIds, userId],
    planned: 'each time',
  });
  return rows;
}
