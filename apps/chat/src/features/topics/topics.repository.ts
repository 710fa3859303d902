import { type ChangeStamp, readStamped, type Tx } from '@switchboard/database';
import { shownTopicSql, topicJoinSql } from '../../core/messages/index.js';

/** A topic with its newest message id, and with the name as spelled in that message. */
export interface TopicRow {
  name: string;
  max_id: number;
}

/** A topic of a channel, with its newest message. */
export interface ListedTopic {
  readonly id: number;
  /** Number that increases with each move, deletion and renaming of messages of the topic; see {@link versionSql}. */
  readonly version: number;
  /** Id of the newest message. */
  readonly maxId: number;
  /** Name as spelled in the newest message. */
  readonly name: string;
}

/** SQL of the version of a topic. Both numbers only increase, so the sum changes whenever one of them does. */
export const versionSql = 'membership_version + last_renaming_id';

/**
 * SQL of the messages of the topic `mt`, newest first. Only one index has this order: with `topic_id = mt.id`, PostgreSQL
 * could read all messages that are newer than those of the topic. Without the lower bound it would read all entries of an
 * index page.
 */
const newestFirst = `messages WHERE topic_id <= mt.id AND topic_id >= mt.id ORDER BY topic_id DESC, id DESC`;

/**
 * SQL of the topics `mt` with a message, as a JSON text for {@link parseTopics}, newest first. Reads one index entry for
 * each topic, and no message: the index contains the name as spelled in the message.
 */
const topicsSql = (where: string): string => `
  SELECT string_agg('[' || mt.id || ',' || ${versionSql} || ',' || m.id || ',' || to_json(${shownTopicSql})::text || ']',
    ',' ORDER BY m.id DESC) AS topics
  FROM topics mt CROSS JOIN LATERAL (SELECT id, topic, topic_since FROM ${newestFirst} LIMIT 1) m
  WHERE ${where}`;

function parseTopics(text: string | null): ListedTopic[] {
  const rows = JSON.parse(`[${text ?? ''}]`) as [id: number, version: number, maxId: number, name: string][];
  return rows.map(([id, version, maxId, name]) => ({ id, version, maxId, name }));
}

/** Topics of a channel, newest first, with the stamp of the snapshot in which they were read. */
export interface ReadTopicList {
  readonly topics: readonly ListedTopic[];
  readonly stamp: ChangeStamp;
}

/** Reads all topics of a channel that have messages. Takes some 5 microseconds per topic. */
export async function readTopics(tx: Tx, channelId: number): Promise<ReadTopicList> {
  const sql = topicsSql('mt.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1)');
  const { row, stamp } = await readStamped<{ topics: string | null }>(tx, { sql, params: [channelId], models: [] });
  return { topics: parseTopics(row.topics), stamp };
}

/** Reads those of the topics that have messages. */
export async function readTopicsById(tx: Tx, topicIds: readonly number[]): Promise<ListedTopic[]> {
  const { rows } = await tx.query<{ topics: string | null }>(topicsSql('mt.id = ANY($1::bigint[])'), [topicIds]);
  return parseTopics(rows[0]?.topics ?? null);
}

/** Number of newest messages of a topic that are first searched for one that the user received. */
const maxProbedMessages = 100;

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
       SELECT * FROM (SELECT * FROM ${newestFirst} LIMIT ${maxProbedMessages}) recent
       WHERE (SELECT true FROM user_messages um WHERE um.user_id = $2 AND um.message_id = recent.id)
       ORDER BY id DESC LIMIT 1) m ON true
     WHERE r.channel_id = $1 AND (m.id IS NOT NULL
       OR EXISTS (SELECT FROM ${newestFirst} OFFSET ${maxProbedMessages} LIMIT 1))`,
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
      FROM messages m ${topicJoinSql} JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
      WHERE m.topic_id = ANY($1::bigint[]) ORDER BY m.topic_id, m.id DESC`,
    values: [topicIds, userId],
    planned: 'each time',
  });
  return rows;
}
