import { z } from 'zod';
import { defineSnapshotPart, defineSqlSnapshotPart } from '../../../events/define-snapshot-part.js';
import { unreadSnapshotPart } from './unread-messages.snapshot.js';
import { mutedTopicsSnapshotPart, userTopicsSnapshotPart } from './user-topics.snapshot.js';

const newestMessageSnapshotPart = defineSqlSnapshotPart({
  types: ['message'],
  shape: { max_message_id: z.int() },
  sql: 'SELECT coalesce(max(message_id), -1) FROM user_messages WHERE user_id = $2',
  fields: (id: number) => ({ max_message_id: id }),
});

const starredMessagesSnapshotPart = defineSqlSnapshotPart({
  types: ['starred_messages'],
  maintainedBy: ['update_message_flags', 'delete_message'],
  shape: { starred_messages: z.array(z.int()) },
  sql: 'SELECT json_agg(message_id ORDER BY message_id) FROM user_messages WHERE user_id = $2 AND flags & 2 <> 0',
  fields: (ids: number[] | null) => ({ starred_messages: ids ?? [] }),
});

const recentConversationSchema = z.strictObject({ max_message_id: z.int(), user_ids: z.array(z.int()) });

/**
 * Part of the POST /register response with recent direct conversations. Finds conversations by their participants
 * instead of reading the user's history, because a history consists mostly of channel messages.
 */
const recentDirectConversationsSnapshotPart = defineSqlSnapshotPart({
  types: ['recent_private_conversations'],
  shape: { recent_private_conversations: z.array(recentConversationSchema) },
  sql: `SELECT json_agg(json_build_object('max_message_id', newest, 'user_ids', others) ORDER BY newest DESC) FROM (
      SELECT (SELECT max(m.id) FROM messages m WHERE m.recipient_id = r.id) AS newest,
        ARRAY(SELECT id FROM unnest(r.participant_ids) AS participant(id) WHERE id <> $2 ORDER BY id) AS others
      FROM recipients r WHERE r.participant_ids @> ARRAY[$2::int]
    ) conversation WHERE newest IS NOT NULL`,
  fields: (rows: z.infer<typeof recentConversationSchema>[] | null) => ({ recent_private_conversations: rows ?? [] }),
});

/**
 * Part of the POST /register response with the words that message search ignores. Clients may omit these words from
 * searches. The list is empty, unlike that of the reference, because the search finds all words
 * (apps/chat/docs/search.md).
 */
const stopWordsSnapshotPart = defineSnapshotPart({
  types: ['stop_words'],
  shape: { stop_words: z.array(z.string()) },
  read: () => ({ stop_words: [] }),
});

/**
 * Parts of the POST /register response about messages: recent conversations, unread and starred messages, and topic
 * policies (docs/contract/chat.md 4.2).
 */
export const messageSnapshotParts = [
  newestMessageSnapshotPart,
  unreadSnapshotPart,
  starredMessagesSnapshotPart,
  recentDirectConversationsSnapshotPart,
  userTopicsSnapshotPart,
  mutedTopicsSnapshotPart,
  stopWordsSnapshotPart,
];
