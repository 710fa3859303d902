import type { Tx } from '@switchboard/database';
import { mapWithPauses, shownTopicSql, topicJoinSql } from '../../core/messages/index.js';

/** A topic of a channel, as shown to a user. */
export interface ShownTopic {
  /** Id of the newest message that the user can read. */
  readonly maxId: number;
  /** Name of the topic as spelled in the newest message that the user can read. */
  readonly name: string;
}

/** A topic of a channel with its newest message. */
export interface TopicWithNewestMessage extends ShownTopic {
  readonly id: number;
  /**
   * Version number that increases with each move, deletion and renaming of messages of the topic; see
   * {@link topicVersionSql}.
   */
  readonly version: number;
}

/**
 * SQL of the version of a topic: the sum of two numbers that only increase, so that the sum changes whenever one of
 * them does.
 */
export const topicVersionSql = 'membership_version + last_renaming_id';

/**
 * SQL of the messages of the topic `mt`, newest first. The range condition makes PostgreSQL use the only index with
 * this order. With `topic_id = mt.id`, it could read all messages that are newer than those of the topic. Without the
 * lower bound, it would read all entries of an index page.
 */
const newestMessagesSql = `messages WHERE topic_id <= mt.id AND topic_id >= mt.id ORDER BY topic_id DESC, id DESC`;

/** Number of topics that one result row contains. Parsing a row takes about 3 ms. */
const topicsPerResultRow = 5_000;

/**
 * SQL of the topics `mt` with a message, newest first, as JSON texts for {@link parseTopicRows}. Reads one index entry for
 * each topic, and no message: the index contains the name as spelled in the message.
 */
const channelTopicsSql = (where: string): string => `
  SELECT string_agg(entry, ',' ORDER BY max_id DESC) AS topics FROM (
    SELECT m.id AS max_id, (row_number() OVER (ORDER BY m.id DESC) - 1) / ${topicsPerResultRow} AS part,
      '[' || mt.id || ',' || ${topicVersionSql} || ',' || m.id || ',' || to_json(${shownTopicSql})::text || ']' AS entry
    FROM topics mt CROSS JOIN LATERAL (SELECT id, topic, topic_since FROM ${newestMessagesSql} LIMIT 1) m
    WHERE ${where}) listed
  GROUP BY part ORDER BY part`;

function parseTopicRows(text: string): TopicWithNewestMessage[] {
  const rows = JSON.parse(`[${text}]`) as [id: number, version: number, maxId: number, name: string][];
  return rows.map(([id, version, maxId, name]) => ({ id, version, maxId, name }));
}

/**
 * Runs {@link channelTopicsSql}. The statement is planned at each execution, because the number of topics depends on the
 * parameters. Other work can run between two result rows.
 */
async function queryTopics(tx: Tx, where: string, params: readonly unknown[]): Promise<TopicWithNewestMessage[]> {
  const text = channelTopicsSql(where);
  const { rows } = await tx.query<{ topics: string }>({ text, planned: 'each time' }, [...params]);
  return (await mapWithPauses(rows, ({ topics }) => parseTopicRows(topics))).flat();
}

/** Reads all topics with messages of a channel, newest first. Takes about 5 microseconds per topic. */
export function readTopics(tx: Tx, channelId: number): Promise<TopicWithNewestMessage[]> {
  return queryTopics(tx, 'mt.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1)', [channelId]);
}

/** Reads the given topics that have messages. */
export function readTopicsById(tx: Tx, topicIds: readonly number[]): Promise<TopicWithNewestMessage[]> {
  return queryTopics(tx, 'mt.id = ANY($1::bigint[])', [topicIds]);
}

/** Number of newest messages of a topic that are first searched for a message that the user received. */
const maxMessagesCheckedForTopics = 100;

/**
 * Lists topics with messages that the user received, newest first. Most users received a recent message of each topic,
 * so the cost usually depends on the number of topics. For the remaining topics all received messages are read.
 */
export async function listReceivedTopics(tx: Tx, channelId: number, userId: number): Promise<ShownTopic[]> {
  // The condition is a subquery, because a join could be planned to read all messages that the user received.
  const { rows } = await tx.query<{ topic_id: number; name: string; max_id: number | null }>(
    `SELECT mt.id AS topic_id, ${shownTopicSql} AS name, m.id AS max_id
     FROM recipients r JOIN topics mt ON mt.recipient_id = r.id
     LEFT JOIN LATERAL (
       SELECT * FROM (SELECT * FROM ${newestMessagesSql} LIMIT ${maxMessagesCheckedForTopics}) recent
       WHERE (SELECT true FROM user_messages um WHERE um.user_id = $2 AND um.message_id = recent.id)
       ORDER BY id DESC LIMIT 1) m ON true
     WHERE r.channel_id = $1 AND (m.id IS NOT NULL
       OR EXISTS (SELECT FROM ${newestMessagesSql} OFFSET ${maxMessagesCheckedForTopics} LIMIT 1))
     ORDER BY m.id DESC NULLS LAST`,
    [channelId, userId],
  );
  const firstUnknown = rows.findIndex((row) => row.max_id === null);
  const found = rows.slice(0, firstUnknown === -1 ? rows.length : firstUnknown);
  const others = rows.slice(found.length).map((row) => row.topic_id);
  const older = others.length === 0 ? [] : await listReceivedAmongTopics(tx, others, userId);
  const topics = await mapWithPauses([...found, ...older], ({ name, max_id: maxId }) => ({ name, maxId: maxId ?? 0 }));
  return topics.toSorted((a, b) => b.maxId - a.maxId);
}

/** Lists the given topics in which the user received messages, newest first. */
async function listReceivedAmongTopics(
  tx: Tx,
  topicIds: readonly number[],
  userId: number,
): Promise<{ name: string; max_id: number | null }[]> {
  // The statement is planned each time, because it may better begin with the topics or with the received messages.
  const { rows } = await tx.query<{ name: string; max_id: number }>({
    text: `SELECT name, max_id FROM (
        SELECT DISTINCT ON (m.topic_id) ${shownTopicSql} AS name, m.id AS max_id
        FROM messages m ${topicJoinSql} JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
        WHERE m.topic_id = ANY($1::bigint[]) ORDER BY m.topic_id, m.id DESC) newest
      ORDER BY max_id DESC`,
    values: [topicIds, userId],
    planned: 'each time',
  });
  return rows;
}
