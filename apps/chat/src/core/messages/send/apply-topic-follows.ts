import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { createChannelEventClientFilter, listChannelAudiences, channelUpdateEvent } from '../../channels/index.js';
import { changeUserTopics } from '../../user-topics/index.js';
import type { MessageConversationTarget } from './message-conversation.js';
import type { InsertedMessage } from './inserted-message-row.js';

/** A channel message that the current transaction has inserted, with the ids of mentioned users. */
export interface InsertedChannelMessage {
  readonly realmId: number;
  readonly conversation: MessageConversationTarget;
  readonly inserted: InsertedMessage;
  /** Ids of users whom the message mentions by name. */
  readonly mentionedIds: readonly number[];
}

/**
 * Applies side effects of a message (docs/contract/chat.md 3.5): changes the topic's visibility policies of the sender
 * and of mentioned users, and updates the oldest message of the channel. Needs no statement for most messages. The
 * caller must have locked the channel, exclusively for the first message of a channel.
 * @returns the new visibility policy of the sender; null if unchanged
 */
export async function updateTopicPoliciesAfterSend(
  tx: Tx,
  events: ChatEventWriter,
  written: InsertedChannelMessage,
): Promise<2 | 3 | null> {
  const { realmId, conversation, inserted } = written;
  const { channel, topic, sender } = conversation;
  if (channel === null) return null;
  if (inserted.isFirst) await updateFirstMessageId(tx, events, written, channel.id);
  const policy = inserted.visibilityPolicy;
  const mentioned = await listFollowingMentionedUsers(tx, written, channel.id);
  const requested = mentioned.map((userId) => ({ userId, channelId: channel.id, topic, policy: 3 as const }));
  const own = policy === null ? [] : [{ userId: sender.id, channelId: channel.id, topic, policy }];
  await changeUserTopics(tx, events, realmId, [...own, ...requested]);
  return policy;
}

/** Returns true if a channel message may change topic visibility policies, or the oldest message of its channel. */
export function mayMessageChangeTopicPolicies({
  inserted,
  mentionedIds,
}: Pick<InsertedChannelMessage, 'inserted' | 'mentionedIds'>): boolean {
  return inserted.isFirst || inserted.visibilityPolicy !== null || mentionedIds.length > 0;
}

/**
 * Lists the mentioned users whose setting makes them follow the topic of the message. Only subscribers who have not
 * muted the topic are listed.
 */
async function listFollowingMentionedUsers(
  tx: Tx,
  { conversation, mentionedIds }: InsertedChannelMessage,
  channelId: number,
) {
  const others = mentionedIds.filter((id) => id !== conversation.sender.id);
  if (others.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u
     JOIN subscriptions s ON s.user_id = u.id AND s.channel_id = $2 AND s.is_active
     LEFT JOIN user_topics ut ON ut.user_id = u.id AND ut.channel_id = $2 AND ut.topic_key = $3
     WHERE u.id = ANY($1) AND u.is_active AND u.bot_type IS NULL AND coalesce(ut.visibility_policy, 0) IN (0, 2)
       AND coalesce((u.settings ->> 'automatically_follow_topics_where_mentioned')::boolean, true)
     ORDER BY u.id`,
    [others, channelId, normalizeTextForComparison(conversation.topic)],
  );
  return rows.map(({ id }) => id);
}

/**
 * Updates the `first_message_id` of a channel and emits an event about the change. The caller must have locked the
 * channel and the realm membership.
 */
async function updateFirstMessageId(
  tx: Tx,
  events: ChatEventWriter,
  written: InsertedChannelMessage,
  channelId: number,
): Promise<void> {
  const { realmId, inserted } = written;
  const { rows } = await tx.query<{ name: string; is_archived: boolean }>(
    'SELECT name, is_archived FROM channels WHERE id = $1',
    [channelId],
  );
  const [channel] = rows;
  if (channel === undefined) return;
  const audiences = await listChannelAudiences(tx, realmId, [channelId]);
  const change = {
    stream_id: channelId,
    name: channel.name,
    property: 'first_message_id' as const,
    value: inserted.id,
  };
  events.write(tx, realmId, channelUpdateEvent, {
    audience: { users: audiences.get(channelId)?.viewers ?? [] },
    payload: { change, clients: createChannelEventClientFilter(channel) },
  });
}
