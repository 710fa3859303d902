import type { Tx } from '@switchboard/database';
import { mapWithEventLoopPauses, shownTopicSql, topicJoinSql } from '../../core/messages/index.js';

/** A topic of a channel with the data that a user sees. */
export interface TopicShownToUser {
  /** Id of the newest message of the topic that the user can read. */
  readonly maxId: number;
  /** Name of the topic, spelled like in the newest message that the user can read. */
  readonly name: string;
}

/** A topic of a channel, with the id of the topic's newest message. */
export interface TopicWithNewestMessage extends TopicShownToUser {
  readonly id: number;
  /**
   * Version number of the topic. The version increases with each move or deletion of the topic's messages, and with
   * each renaming; see {@link topicVersionSql}.
   */
  readonly version: number;
}

/**
 * SQL expression for the version number of a topic: the sum of two counters that only increase. A change of either
 * counter therefore changes the sum.
 */
export const topicVersionSql = 'membership_version + last_renaming_id';

/**
 * SQL that selects the messages of the topic `mt`, newest first. The range condition makes PostgreSQL use the only
 * index with this order. With `topic_id = mt.id`, PostgreSQL might scan all newer messages of other topics. Without the
 * lower bound, PostgreSQL would read all entries of an index page.
 */
const newestTopicMessagesSql = `messages WHERE topic_id <= mt.id AND topic_id >= mt.id ORDER BY topic_id DESC, id DESC`;

/** Number of topics that one result row of the topic query contains. The parsing of one row takes about 3 ms. */
const topicsPerResultRow = 5_000;

/**
 * Returns SQL that selects the topics `mt` that have messages, newest first, as JSON texts for {@link parseTopicRows}.
 * The query reads one index entry per topic and no message row, because the index contains the topic name of each
 * message.
 */
const createChannelTopicsSql = (where: string): string => `
  SELECT string_agg(entry, ',' ORDER BY max_id DESC) AS topics FROM (
    SELECT m.id AS max_id, (row_number() OVER (ORDER BY m.id DESC) - 1) / ${topicsPerResultRow} AS part,
      '[' || mt.id || ',' || ${topicVersionSql} || ',' || m.id || ',' || to_json(${shownTopicSql})::text || ']' AS entry
    FROM topics mt CROSS JOIN LATERAL (SELECT id, topic, topic_since FROM ${newestTopicMessagesSql} LIMIT 1) m
    WHERE ${where}) listed
  GROUP BY part ORDER BY part`;

function parseTopicRows(text: string): TopicWithNewestMessage[] {
  const rows = JSON.parse(`[${text}]`) as [id: number, version: number, maxId: number, name: string][];
  return rows.map(([id, version, maxId, name]) => ({ id, version, maxId, name }));
}

/**
 * Runs {@link createChannelTopicsSql}. PostgreSQL plans the statement at each execution, because the number of topics
 * depends on the parameters. The event loop can run other work between two result rows.
 */
async function queryTopics(tx: Tx, where: string, params: readonly unknown[]): Promise<TopicWithNewestMessage[]> {
  const text = createChannelTopicsSql(where);
  const { rows } = await tx.query<{ topics: string }>({ text, planned: 'each time' }, [...params]);
  return (await mapWithEventLoopPauses(rows, ({ topics }) => parseTopicRows(topics))).flat();
}

/** Reads all topics with messages of a channel, newest first. The query takes about 5 microseconds per topic. */
export function readTopics(tx: Tx, channelId: number): Promise<TopicWithNewestMessage[]> {
  return queryTopics(tx, 'mt.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1)', [channelId]);
}

/** Reads the topics with the given ids, except topics without messages. */
export function readTopicsById(tx: Tx, topicIds: readonly number[]): Promise<TopicWithNewestMessage[]> {
  return queryTopics(tx, 'mt.id = ANY($1::bigint[])', [topicIds]);
}

/** Maximum number of newest messages per topic that are checked before the service reads all messages of the user. */
const maxMessagesCheckedForTopics = 100;

/**
 * Lists topics with messages that the user received, newest first. Most users received a recent message of each topic,
 * so the cost usually depends on the number of topics. For topics without a recent received message, all messages that
 * the user received are read.
 */
export async function listTopicsWithReceivedMessages(
  tx: Tx,
  channelId: number,
  userId: number,
): Promise<TopicShownToUser[]> {
  // The condition is a subquery, because a join could be planned to read all messages that the user received.
  const { rows } = await tx.query<{ topic_id: number; name: string; max_id: number | null }>(
    `SELECT mt.id AS topic_id, ${shownTopicSql} AS name, m.id AS max_id
     FROM recipients r JOIN topics mt ON mt.recipient_id = r.id
     LEFT JOIN LATERAL (
       SELECT * FROM (SELECT * FROM ${newestTopicMessagesSql} LIMIT ${maxMessagesCheckedForTopics}) recent
       WHERE (SELECT true FROM user_messages um WHERE um.user_id = $2 AND um.message_id = recent.id)
       ORDER BY id DESC LIMIT 1) m ON true
     WHERE r.channel_id = $1 AND (m.id IS NOT NULL
       OR EXISTS (SELECT FROM ${newestTopicMessagesSql} OFFSET ${maxMessagesCheckedForTopics} LIMIT 1))
     ORDER BY m.id DESC NULLS LAST`,
    [channelId, userId],
  );
  const firstUnknown = rows.findIndex((row) => row.max_id === null);
  const found = rows.slice(0, firstUnknown === -1 ? rows.length : firstUnknown);
  const others = rows.slice(found.length).map((row) => row.topic_id);
  const older = others.length === 0 ? [] : await filterTopicsWithReceivedMessages(tx, others, userId);
  const topics = await mapWithEventLoopPauses([...found, ...older], ({ name, max_id: maxId }) => ({
    name,
    maxId: maxId ?? 0,
  }));
  return topics.toSorted((a, b) => b.maxId - a.maxId);
}

/** Lists the given topics in which the user received messages, newest first. */
async function filterTopicsWithReceivedMessages(
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
