import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../../events/chat-events.js';
import { textKey } from '../../../infra/text-key.js';
import { clientsOf, listChannelAudiences, streamUpdateEvent } from '../../channels/index.js';
import { changeUserTopics } from '../../user-topics/index.js';
import type { Conversation } from './conversation.js';
import type { InsertedMessage } from './inserted-message.js';

/** A message that was written in this transaction. */
export interface WrittenMessage {
  readonly realmId: number;
  readonly conversation: Conversation;
  readonly inserted: InsertedMessage;
  /** People whom it mentions by name. */
  readonly mentionedIds: readonly number[];
}

/**
 * Changes what a message changes beside itself (docs/contract/chat.md 3.5): how its sender sees the topic, and which
 * message of the channel is the oldest. No statement for most messages. The caller has locked the channel, exclusively
 * for the first message of a channel.
 *
 * @returns how the sender sees the topic from now on; null when nothing changed
 */
export async function applyEffects(tx: Tx, events: ChatEvents, written: WrittenMessage): Promise<2 | 3 | null> {
  const { realmId, conversation, inserted } = written;
  const { channel, topic, sender } = conversation;
  if (channel === null) return null;
  if (inserted.isFirst) await tellFirstMessage(tx, events, written, channel.id);
  const policy = inserted.visibilityPolicy;
  const mentioned = await listFollowing(tx, written, channel.id);
  const wanted = mentioned.map((userId) => ({ userId, channelId: channel.id, topic, policy: 3 as const }));
  const own = policy === null ? [] : [{ userId: sender.id, channelId: channel.id, topic, policy }];
  await changeUserTopics(tx, events, realmId, [...own, ...wanted]);
  return policy;
}

/** Lists the mentioned users who follow the topic automatically: subscribers who want that and did not mute it. */
async function listFollowing(tx: Tx, { conversation, mentionedIds }: WrittenMessage, channelId: number) {
  const others = mentionedIds.filter((id) => id !== conversation.sender.id);
  if (others.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u
     JOIN subscriptions s ON s.user_id = u.id AND s.channel_id = $2 AND s.is_active
     LEFT JOIN user_topics ut ON ut.user_id = u.id AND ut.channel_id = $2 AND ut.topic_key = $3
     WHERE u.id = ANY($1) AND u.is_active AND u.bot_type IS NULL AND coalesce(ut.visibility_policy, 0) IN (0, 2)
       AND coalesce((u.settings ->> 'automatically_follow_topics_where_mentioned')::boolean, true)
     ORDER BY u.id`,
    [others, channelId, textKey(conversation.topic)],
  );
  return rows.map(({ id }) => id);
}

/** Emits the new `first_message_id` of a channel, which the caller has locked with the population. */
async function tellFirstMessage(tx: Tx, events: ChatEvents, written: WrittenMessage, channelId: number): Promise<void> {
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
  events.write(tx, realmId, streamUpdateEvent, {
    audience: { users: audiences.get(channelId)?.viewers ?? [] },
    payload: { change, clients: clientsOf(channel) },
  });
}

/** Inputs of the sender's new visibility policy; each is SQL. */
interface EffectParts {
  /** The settings of the sender. */
  readonly settings: string;
  /** Whether the channel is muted. */
  readonly isMuted: string;
  /** Whether the topic had messages before. */
  readonly isKnown: string;
  /** The sender's policy for the topic: 0 as the channel. */
  readonly current: string;
}

/**
 * Returns the sender's new visibility policy for the topic as SQL; null for no change. Following (3) is more than
 * unmuting (2), which is for muted channels; nobody's attention is taken back.
 */
export function visibilityPolicySql({ settings, isMuted, isKnown, current }: EffectParts): string {
  // 1 and 2 are any message, 3 the first of its topic, 4 none.
  const matches = (setting: string, initial: number): string =>
    `(CASE coalesce((${settings} ->> '${setting}')::int, ${initial}) WHEN 4 THEN false WHEN 3 THEN NOT ${isKnown}
        ELSE true END)`;
  return `CASE
      WHEN ${matches('automatically_follow_topics_policy', 3)} THEN CASE WHEN ${current} < 3 THEN 3 END
      WHEN ${isMuted} AND ${matches('automatically_unmute_topics_in_muted_streams_policy', 2)}
        THEN CASE WHEN ${current} < 2 THEN 2 END END`;
}

const isKnown = `EXISTS (
  SELECT 1 FROM messages other WHERE other.topic_id = message.topic_id)`;

/**
 * Side effects of sending as columns `is_first` and `visibility_policy` of a statement that inserts the message as
 * `message`: such a statement does not see the message itself.
 */
export const effectColumns = `
  NOT EXISTS (SELECT 1 FROM messages other WHERE other.recipient_id = message.recipient_id) AS is_first,
  (SELECT ${visibilityPolicySql({
    settings: 'u.settings',
    isMuted: 's.is_muted',
    isKnown,
    current: 'coalesce(ut.visibility_policy, 0)',
  })}
    FROM recipients r
    JOIN users u ON u.id = message.sender_id AND u.bot_type IS NULL
    LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = u.id AND s.is_active
    LEFT JOIN user_topics ut
      ON ut.user_id = u.id AND ut.channel_id = r.channel_id AND ut.topic_key = message.topic_key
    WHERE r.id = message.recipient_id AND r.channel_id IS NOT NULL) AS visibility_policy`;
