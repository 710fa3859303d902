import { z } from 'zod';
import type { SqlQueryRunner } from '../../../infra/sql-reader.js';
import { defineSnapshotPart } from '../../../events/define-snapshot-part.js';
import { toDisplayedTopicName } from '../../../events/displayed-topic-name.js';
import { shownTopicSql } from '../topics/topic-row-sql.js';

const unreadMessageIdListSchema = z.array(z.int());

/**
 * Schema of a user's unread messages, grouped by conversation. Each list of message ids is ascending
 * (docs/contract/chat.md 4.4).
 */
const unreadMessagesSchema = z.strictObject({
  count: z.int().meta({ description: 'Without unread messages of muted channels and topics' }),
  pms: z.array(
    z.strictObject({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids: unreadMessageIdListSchema }),
  ),
  streams: z.array(
    z.strictObject({ stream_id: z.int(), topic: z.string(), unread_message_ids: unreadMessageIdListSchema }),
  ),
  huddles: z.array(z.strictObject({ user_ids_string: z.string(), unread_message_ids: unreadMessageIdListSchema })),
  mentions: unreadMessageIdListSchema,
  old_unreads_missing: z.boolean(),
});

/** Maximum number of unread messages that a POST /register response (snapshot) contains. */
const maxUnreadMessages = 50_000;

interface UnreadConversationRow {
  channel_id: number | null;
  topic: string;
  participant_ids: number[] | null;
  muted: boolean;
  message_ids: number[];
  mentions: number[] | null;
}

/**
 * SQL that reads the user's newest unread messages, up to the limit, by conversation. Topics that differ only in letter
 * case are one conversation with the newest spelling. Bits of message flags: 1 read, 8 and 256 mentioned, 48 wildcard
 * mentions. The SQL reads flags only for unread mentions. One index contains all other columns of `user_messages` in
 * order. A user with a million unread messages therefore costs no more than a user with 50,000. Each LATERAL subquery
 * with LIMIT 1 is one index lookup. PostgreSQL cannot estimate how many messages are unread. With plain joins,
 * PostgreSQL read complete tables, or all topics of the user once for each message.
 */
const unreadMessagesSql = `
  WITH unread AS MATERIALIZED (
    SELECT message_id FROM user_messages WHERE user_id = $1 AND flags & 1 = 0
    ORDER BY message_id DESC LIMIT $2
  ), mention AS MATERIALIZED (
    SELECT message_id, flags FROM user_messages
    WHERE user_id = $1 AND flags & 1 = 0 AND flags & 312 <> 0 AND message_id >= (SELECT min(message_id) FROM unread)
  ), conversation AS MATERIALIZED (
    SELECT m.recipient_id, m.topic_id, max(message_id) AS newest_id, array_agg(message_id ORDER BY message_id) AS message_ids,
      array_agg(message_id) FILTER (WHERE mention.flags & 264 <> 0) AS mentions,
      array_agg(message_id) FILTER (WHERE mention.flags & 264 = 0) AS wildcard_mentions
    FROM unread
    CROSS JOIN LATERAL (SELECT recipient_id, topic_id FROM messages WHERE id = message_id LIMIT 1) m
    LEFT JOIN mention USING (message_id)
    WHERE m.topic_id IS NULL OR m.recipient_id IN (
      SELECT r.id FROM subscriptions s JOIN recipients r USING (channel_id) WHERE s.user_id = $1 AND s.is_active)
    GROUP BY m.recipient_id, m.topic_id
  )
  SELECT r.channel_id, ${shownTopicSql} AS topic, r.participant_ids, preference.is_muted AS muted, c.message_ids,
    c.mentions || CASE WHEN NOT preference.is_muted THEN c.wildcard_mentions END AS mentions
  FROM conversation c
  CROSS JOIN LATERAL (SELECT topic, topic_since FROM messages WHERE id = c.newest_id LIMIT 1) m
  CROSS JOIN LATERAL (SELECT channel_id, participant_ids FROM recipients WHERE id = c.recipient_id LIMIT 1) r
  LEFT JOIN LATERAL (SELECT topic_key, topic, last_renaming_id FROM topics WHERE id = c.topic_id LIMIT 1) mt ON true
  CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT ut.visibility_policy = 1 FROM user_topics ut
     WHERE ut.user_id = $1 AND ut.channel_id = r.channel_id AND ut.topic_key = mt.topic_key),
    (SELECT s.is_muted FROM subscriptions s WHERE s.user_id = $1 AND s.channel_id = r.channel_id),
    false) AS is_muted OFFSET 0) preference`;

/**
 * Part of the POST /register response with the user's unread messages. Included for clients that also receive events
 * about changes of message flags.
 */
export const unreadSnapshotPart = defineSnapshotPart({
  types: ['message'],
  when: ({ wants }) => wants('update_message_flags'),
  shape: { unread_msgs: unreadMessagesSchema },
  async read({ tx, actor, form }) {
    const topicName = (topic: string): string => toDisplayedTopicName(topic, form.client_capabilities);
    return { unread_msgs: await readUnreadMessages(tx, actor.id, topicName) };
  },
});

/** Reads a user's unread messages, grouped by conversation. */
export async function readUnreadMessages(
  tx: SqlQueryRunner,
  userId: number,
  topicName: (topic: string) => string,
): Promise<z.infer<typeof unreadMessagesSchema>> {
  const { rows } = await tx.query<UnreadConversationRow>(unreadMessagesSql, [userId, maxUnreadMessages]);
  const direct = rows.filter((row) => row.channel_id === null);
  const total = rows.reduce((sum, row) => sum + row.message_ids.length, 0);
  return {
    count: rows.filter((row) => !row.muted).reduce((sum, row) => sum + row.message_ids.length, 0),
    pms: direct
      .filter(isTwoPersonConversationRow)
      .map((row) => toUnreadTwoPersonConversation(row, userId))
      .toSorted((a, b) => a.other_user_id - b.other_user_id),
    streams: rows.flatMap((row) => toUnreadChannelTopic(row, topicName)).toSorted(compareByChannelAndTopic),
    huddles: direct
      .filter((row) => !isTwoPersonConversationRow(row))
      .map(toUnreadGroupConversation)
      .toSorted((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1)),
    mentions: rows.flatMap((row) => row.mentions ?? []).toSorted((a, b) => a - b),
    old_unreads_missing: total >= maxUnreadMessages,
  };
}

function isTwoPersonConversationRow(row: UnreadConversationRow): boolean {
  return (row.participant_ids?.length ?? 0) <= 2;
}

/**
 * Returns the user id of the other participant in a one-to-one conversation. In a conversation of a user with themself,
 * returns the user's own id.
 */
function toUnreadTwoPersonConversation(row: UnreadConversationRow, userId: number) {
  const other = row.participant_ids?.find((id) => id !== userId) ?? userId;
  return { other_user_id: other, sender_id: other, unread_message_ids: row.message_ids };
}

function toUnreadGroupConversation(row: UnreadConversationRow) {
  const everyone = (row.participant_ids ?? []).toSorted((a, b) => a - b);
  return { user_ids_string: everyone.join(','), unread_message_ids: row.message_ids };
}

function toUnreadChannelTopic(row: UnreadConversationRow, topicName: (topic: string) => string) {
  if (row.channel_id === null) return [];
  return [{ stream_id: row.channel_id, topic: topicName(row.topic), unread_message_ids: row.message_ids }];
}

function compareByChannelAndTopic(
  a: { stream_id: number; topic: string },
  b: { stream_id: number; topic: string },
): number {
  return a.stream_id - b.stream_id || (a.topic < b.topic ? -1 : 1);
}
