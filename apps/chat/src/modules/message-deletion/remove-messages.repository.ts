import type { Tx } from '@switchboard/database';
import { channelReadable } from '../../access/channel-access.js';
import { lockUserMessages } from '../messages/index.js';

/** Messages of one topic; of a direct conversation, whose topic is empty. */
export interface TopicMessages {
  readonly topic: string;
  /** Ascending. */
  readonly messageIds: readonly number[];
}

const readable = channelReadable({ actor: 'u.id', isGuest: '(u.role = 600)' });

/**
 * Deletes messages of one conversation with everything that hangs on them. One statement, whatever their number; the
 * messages have to be held by an earlier one, or a receipt that is written meanwhile would stay.
 *
 * @param channelId Null for direct messages.
 * @returns who could read the messages of each topic (chat-contract 3.4), in the order of the topics: everybody who
 *   received one of them, and where history is shared every subscriber; of them those who may still read there
 */
export async function removeMessages(
  tx: Tx,
  channelId: number | null,
  topics: readonly TopicMessages[],
): Promise<number[][]> {
  const messageIds = topics.flatMap((topic) => topic.messageIds);
  const places = topics.flatMap((topic, place) => topic.messageIds.map(() => place));
  const { rows } = await tx.query<{ place: number; user_ids: number[] }>(removeSql, [messageIds, places, channelId]);
  const byPlace = new Map(rows.map((row) => [row.place, row.user_ids]));
  return topics.map((_topic, place) => byPlace.get(place) ?? []);
}

const removeSql = `
  WITH doomed AS (
    SELECT * FROM unnest($1::bigint[], $2::int[]) AS doomed(message_id, place)
  ), held AS (
    SELECT um.user_id, um.message_id FROM user_messages um
    WHERE um.message_id = ANY($1::bigint[]) AND um.flags >= 0 ${lockUserMessages}
  ), receipt AS (
    DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id
    RETURNING um.user_id, um.message_id
  ), removed AS (
    DELETE FROM messages WHERE id = ANY($1::bigint[])
  ), person AS (
    SELECT doomed.place, receipt.user_id FROM receipt JOIN doomed ON doomed.message_id = receipt.message_id
    UNION
    SELECT topic.place, s.user_id
    FROM subscriptions s JOIN channels c ON c.id = s.channel_id, (SELECT DISTINCT place FROM doomed) topic
    WHERE s.channel_id = $3 AND s.is_active AND (NOT c.is_private OR c.history_public_to_subscribers)
  )
  SELECT person.place, array_agg(person.user_id ORDER BY person.user_id) AS user_ids
  FROM person JOIN users u ON u.id = person.user_id
  LEFT JOIN channels c ON c.id = $3
  LEFT JOIN subscriptions s ON s.channel_id = $3 AND s.user_id = u.id AND s.is_active
  WHERE u.is_active AND (c.id IS NULL OR ${readable})
  GROUP BY person.place`;
