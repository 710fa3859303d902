import { z } from 'zod';
import { emptyTopicName } from '../../realms/index.js';
import type { SnapshotContext } from './snapshot-context.js';
import { readUnread, unreadMessages } from './unread.js';

const userTopic = z.strictObject({
  stream_id: z.int(),
  topic_name: z.string(),
  last_updated: z.int(),
  visibility_policy: z.int(),
});

/** The fields that tell what the user has read, marked and muted (chat-contract 4.2). */
export const historyShape = {
  max_message_id: z.int(),
  unread_msgs: unreadMessages,
  starred_messages: z.array(z.int()),
  recent_private_conversations: z.array(z.strictObject({ max_message_id: z.int(), user_ids: z.array(z.int()) })),
  user_topics: z.array(userTopic),
  muted_topics: z.array(z.tuple([z.string(), z.string(), z.int()])),
};

interface HistoryRow {
  max_message_id: number;
  starred: number[];
  conversations: { max_message_id: number; user_ids: number[] }[] | null;
}

/** A conversation is found from its participants, not by walking through a history that is mostly channels. */
const historySql = `
  SELECT
    coalesce((SELECT max(message_id) FROM user_messages WHERE user_id = $1), -1) AS max_message_id,
    ARRAY(SELECT message_id FROM user_messages WHERE user_id = $1 AND flags & 2 <> 0 ORDER BY message_id) AS starred,
    (SELECT json_agg(json_build_object('max_message_id', newest, 'user_ids', others) ORDER BY newest DESC) FROM (
       SELECT (SELECT max(m.id) FROM messages m WHERE m.recipient_id = r.id) AS newest,
         ARRAY(SELECT id FROM unnest(r.participant_ids) AS participant(id) WHERE id <> $1 ORDER BY id) AS others
       FROM recipients r WHERE r.participant_ids @> ARRAY[$1::int] AND $2
     ) conversation WHERE newest IS NOT NULL) AS conversations`;

/** The user's own history: three statements at most. */
export async function historySnapshot(context: SnapshotContext): Promise<object> {
  const { wants, tx, actor, parameters } = context;
  const knowsEmptyTopic = parameters.client_capabilities.empty_topic_name;
  const needsHistory = wants('message', 'starred_messages', 'recent_private_conversations');
  const history = needsHistory ? await readHistory(context) : undefined;
  return {
    ...(wants('message') && { max_message_id: history?.max_message_id ?? -1 }),
    ...(wants('message') &&
      wants('update_message_flags') && {
        unread_msgs: await readUnread(tx, actor.id, knowsEmptyTopic),
      }),
    ...(wants('starred_messages') && { starred_messages: history?.starred ?? [] }),
    ...(wants('recent_private_conversations') && { recent_private_conversations: history?.conversations ?? [] }),
    ...(await topicFields(context, knowsEmptyTopic)),
  };
}

async function readHistory({ wants, tx, actor }: SnapshotContext): Promise<HistoryRow | undefined> {
  const { rows } = await tx.query<HistoryRow>(historySql, [actor.id, wants('recent_private_conversations')]);
  return rows[0];
}

interface TopicRow {
  channel_id: number;
  channel_name: string;
  topic: string;
  last_updated: number;
  visibility_policy: number;
}

/** The older list of muted topics is for clients that do not fetch the newer one (chat-contract 4.2). */
async function topicFields({ wants, namesTypes, tx, actor }: SnapshotContext, knowsEmptyTopic: boolean) {
  const wantsOlder = namesTypes && wants('muted_topics') && !wants('user_topic');
  if (!wants('user_topic') && !wantsOlder) return {};
  const { rows } = await tx.query<TopicRow>(
    `SELECT ut.channel_id, c.name AS channel_name, ut.topic, ut.visibility_policy,
       floor(extract(epoch FROM ut.last_updated))::bigint AS last_updated
     FROM user_topics ut JOIN channels c ON c.id = ut.channel_id
     WHERE ut.user_id = $1 AND NOT c.is_archived ORDER BY ut.channel_id, ut.topic_key`,
    [actor.id],
  );
  const name = (topic: string): string => (topic === '' && !knowsEmptyTopic ? emptyTopicName : topic);
  if (wantsOlder) {
    const muted = rows.filter((row) => row.visibility_policy === 1);
    return { muted_topics: muted.map((row) => [row.channel_name, name(row.topic), row.last_updated]) };
  }
  return {
    user_topics: rows.map((row) => ({
      stream_id: row.channel_id,
      topic_name: name(row.topic),
      last_updated: row.last_updated,
      visibility_policy: row.visibility_policy,
    })),
  };
}
