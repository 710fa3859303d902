import { role } from '../../../infra/http/actor.js';
import { channelReadable } from '../../access/channel-access.js';
import { type ChannelMessageParts, concernsAway } from '../../soft-deactivation/index.js';

/*
 * SQL that the statements which send a message are made of. A message to a channel is written by one statement that
 * checks and inserts (send-to-channel.repository.ts), or step by step (channel-destination.repository.ts, then
 * insert-message.repository.ts). What both of them say stands here once (docs/adr/0009).
 */

/** A channel, its recipient, its realm, the sender and the sender's subscription. `$1` is the sender, `$2` the realm. */
export const destinationTables = `channels c
  JOIN recipients r ON r.channel_id = c.id
  JOIN realms realm ON realm.id = c.realm_id
  JOIN users sender ON sender.id = $1
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active`;

/**
 * Facts about the sender, as SQL over {@link destinationTables}. A statement whose refusal is not final may use
 * conditions that are cheaper and narrower.
 */
interface SenderFacts {
  /** The sender has the rights of a subscriber. */
  readonly belongs: string;
  /** The sender is in the group `can_send_message_group` of the channel. */
  readonly inSendingGroup: string;
  /** The sender is in the group `can_create_topic_group` of the channel. */
  readonly inCreatingGroup: string;
}

/** Returns the rules for sending to a channel (docs/contract/chat.md 5.2) as SQL over {@link destinationTables}. */
export function sendRules({ belongs, inSendingGroup, inCreatingGroup }: SenderFacts) {
  return {
    readable: channelReadable({ actor: '$1', isGuest: `(sender.role = ${role.guest})` }),
    maySend: `(NOT c.is_archived AND (${belongs} OR NOT c.is_private) AND (${inSendingGroup} OR sender.is_system_bot))`,
    mayCreateTopics: `(${inCreatingGroup} OR sender.is_system_bot)`,
  };
}

/** Topics policy of the channel, as SQL over {@link destinationTables}. */
export const topicsPolicy = `CASE c.topics_policy
    WHEN 'inherit' THEN coalesce(realm.settings->>'topics_policy', 'allow_empty_topic') ELSE c.topics_policy END`;

/** Condition that {@link topicsPolicy} takes a topic as it was sent: neither refuses nor replaces it. */
export const takesTopic = (topic: string): string =>
  `${topicsPolicy} IN ('allow_empty_topic', CASE WHEN ${topic} <> '' THEN 'disable_empty_topic' END)`;

/** The type of bots that are programs with an API key and nothing more. */
const genericBot = 1;

/**
 * Recipients of a message to a channel that get their row with it, as SQL with the column `user_id`: subscribers who are
 * not softly deactivated, and those whom the message concerns.
 *
 * @param mentioned SQL of a condition on `subscriptions s`: the message mentions the subscriber
 */
export const channelRecipients = (parts: ChannelMessageParts, mentioned = 'false'): string => `
  SELECT s.user_id FROM subscriptions s JOIN users u ON u.id = s.user_id
  LEFT JOIN soft_deactivations away ON away.user_id = s.user_id AND NOT away.is_back
  WHERE s.channel_id = ${parts.channelId} AND s.is_active AND u.is_active
    AND (away.user_id IS NULL OR ${mentioned} OR ${concernsAway(parts)})`;

/**
 * Recipients of a message to a channel that mentions users, as SQL with the column `user_id`: subscribers, and of public
 * channels the generic bots among the mentioned, which are addressed in channels that they do not subscribe to.
 *
 * @param mentioned as for {@link channelRecipients}
 * @param mentionedIds SQL of the array of ids
 */
export const mentioningRecipients = (parts: ChannelMessageParts, mentioned: string, mentionedIds: string): string => `
  ${channelRecipients(parts, mentioned)}
  UNION
  SELECT bot.id FROM users bot JOIN channels c ON c.realm_id = bot.realm_id
  WHERE c.id = ${parts.channelId} AND NOT c.is_private AND bot.id = ANY(${mentionedIds})
    AND bot.bot_type = ${genericBot} AND bot.is_active AND bot.role <> ${role.guest}`;

/** Text of a message. */
export interface MessageText {
  readonly clientId: number;
  readonly topic: string;
  readonly topicKey: string;
  readonly content: string;
  readonly rendered: string;
  readonly renderedVersion: number;
  readonly isMeMessage: boolean;
  readonly hasLink: boolean;
  readonly hasAttachment: boolean;
  readonly hasImage: boolean;
}

/** Parameters of {@link sentValues} and {@link insertedText}, from `$4` on. */
export function textValues(message: MessageText): unknown[] {
  return [
    message.clientId,
    message.topic,
    message.topicKey,
    message.content,
    message.rendered,
    message.renderedVersion,
    message.isMeMessage,
    message.hasLink,
    message.hasAttachment,
    message.hasImage,
  ];
}

/** Columns of `messages` besides the realm, sender and recipient, and their values with a row `topic` of `topic_of`. */
export const sentColumns = `client_id, topic_id, topic_since, topic, is_me_message, has_link, has_attachment, has_image`;
export const sentValues = `$4, topic.topic_id, topic.topic_since, nullif($5, topic.topic_name), $10, $11, $12, $13`;

/** An expression for a WITH that inserts the text of `message`. */
export const insertedText = `message_text AS (
    INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
    SELECT id, $7, $8, $9 FROM message
  )`;

/** Place of a message, each part as SQL. */
interface AwaitedParts {
  readonly realm: string;
  readonly channel: string;
  readonly topicKey: string;
  readonly sender: string;
}

/**
 * Condition that a user other than the sender may want emails of all messages of a channel, a topic or all channels, as
 * SQL. Three index lookups.
 */
export function awaitedIn({ realm, channel, topicKey, sender }: AwaitedParts): string {
  return `(EXISTS (SELECT 1 FROM user_topics ut WHERE ut.channel_id = ${channel} AND ut.topic_key = ${topicKey}
      AND ut.visibility_policy = 3 AND ut.user_id <> ${sender})
    OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.channel_id = ${channel} AND s.email_notifications)
    OR EXISTS (SELECT 1 FROM users u WHERE u.realm_id = ${realm}
      AND u.settings @> '{"enable_stream_email_notifications": true}'))`;
}

/** {@link awaitedIn} for a statement that inserts a message as `message`; null for direct messages. */
export const awaitedSql = `(
  SELECT ${awaitedIn({
    realm: 'r.realm_id',
    channel: 'r.channel_id',
    topicKey: 'message.topic_key',
    sender: 'message.sender_id',
  })}
  FROM recipients r WHERE r.id = message.recipient_id AND r.channel_id IS NOT NULL)`;

/** Inputs of the sender's new visibility policy; each is SQL. */
interface EffectParts {
  /** The settings of the sender. */
  readonly settings: string;
  /** Expression that is true if the channel is muted. */
  readonly isMuted: string;
  /** Expression that is true if the topic had messages before. */
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
