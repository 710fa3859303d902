import type { Tx } from '@switchboard/database';
import { aggregatePackedUserIdsSql, decodePackedUserIds } from '../../core/access/sorted-user-ids.js';
import { lockUserMessageRowsSql } from '../../core/messages/index.js';

/** Ids of messages of one topic or direct conversation. The topic of a direct conversation is empty. */
export interface TopicMessages {
  readonly topic: string;
  /** Ids of the topic's messages, in ascending order. */
  readonly messageIds: readonly number[];
}

/**
 * Deletes messages of one conversation with all rows that refer to them, in one statement. An earlier statement must
 * have locked the messages; otherwise a row of `user_messages` that is written concurrently would remain.
 * @returns the users who received messages of each topic, ascending, in the order of the topics
 */
export async function removeMessages(tx: Tx, topics: readonly TopicMessages[]): Promise<Uint32Array[]> {
  const messageIds = topics.flatMap((topic) => topic.messageIds);
  const places = topics.flatMap((topic, place) => topic.messageIds.map(() => place));
  const [only] = messageIds;
  const isOne = messageIds.length === 1;
  const { rows } = await tx.query<{ place: number; ids: Buffer }>(
    isOne ? removeOneMessageSql : removeMessagesSql,
    isOne ? [only] : [messageIds, places],
  );
  const byPlace = new Map(rows.map((row) => [row.place, decodePackedUserIds(row.ids)]));
  return topics.map((_topic, place) => byPlace.get(place) ?? new Uint32Array());
}

/**
 * SQL that increments the version of the topics whose messages are deleted. A concurrent renaming of the topic that has
 * already read the message ids must then read them again.
 */
const incrementTopicVersionsSql = `
    UPDATE topics SET membership_version = membership_version + 1 WHERE id = ANY (ARRAY(SELECT DISTINCT topic_id FROM removed))`;

/**
 * SQL that deletes a single message. The SQL can lock rows in any order. Transactions that change rows of several users
 * must have locked the message, and other transactions change rows of only one user.
 */
const removeOneMessageSql = `
  WITH receipt AS (
    DELETE FROM user_messages WHERE message_id = $1::bigint AND flags >= 0 RETURNING user_id
  ), removed AS (
    DELETE FROM messages WHERE id = $1::bigint RETURNING topic_id
  ), touched AS (${incrementTopicVersionsSql}
  )
  SELECT 0 AS place, ${aggregatePackedUserIdsSql('user_id')} AS ids FROM receipt`;

const removeMessagesSql = `
  WITH doomed AS (
    SELECT * FROM unnest($1::bigint[], $2::int[]) AS doomed(message_id, place)
  ), held AS (
    SELECT um.user_id, um.message_id FROM user_messages um
    WHERE um.message_id = ANY($1::bigint[]) AND um.flags >= 0 ${lockUserMessageRowsSql}
  ), receipt AS (
    DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id
    RETURNING um.user_id, um.message_id
  ), removed AS (
    DELETE FROM messages WHERE id = ANY($1::bigint[]) RETURNING topic_id
  ), touched AS (${incrementTopicVersionsSql}
  ), receiver AS (
    SELECT DISTINCT doomed.place, receipt.user_id FROM receipt JOIN doomed ON doomed.message_id = receipt.message_id
  )
  SELECT place, ${aggregatePackedUserIdsSql('user_id')} AS ids FROM receiver GROUP BY place`;
