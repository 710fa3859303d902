import { userRoleNumbers } from '../../../infra/http/chat-actor.js';
import { type AwaySubscriberSqlParts, mayNotifyAwaySubscriberSql } from '../../soft-deactivation/index.js';

// SQL of the statements of insert-message.repository.ts.

/** Value of `users.bot_type` for generic bots, which are programs with an API key. */
const genericBotType = 1;

/**
 * Returns SQL that selects the recipients of a channel message for whom a row of `user_messages` is written
 * immediately. The result column is `user_id`. The recipients are subscribers who are not soft-deactivated, and
 * soft-deactivated subscribers whom the message concerns.
 * @param mentioned SQL of a condition on `subscriptions s`: the message mentions the subscriber
 */
export const selectChannelMessageRecipientsSql = (parts: AwaySubscriberSqlParts, mentioned = 'false'): string => `
  SELECT s.user_id FROM subscriptions s JOIN users u ON u.id = s.user_id
  LEFT JOIN soft_deactivations away ON away.user_id = s.user_id AND NOT away.is_back
  WHERE s.channel_id = ${parts.channelId} AND s.is_active AND u.is_active
    AND (away.user_id IS NULL OR ${mentioned} OR ${mayNotifyAwaySubscriberSql(parts)})`;

/**
 * Returns SQL of the recipients of a channel message with mentions, with the column `user_id`. The recipients are the
 * subscribers. In public channels, mentioned generic bots receive the message without a subscription.
 *
 * @param mentioned SQL of a condition on `subscriptions s`, as for {@link selectChannelMessageRecipientsSql}
 * @param mentionedIds SQL of the array of mentioned user ids
 */
export const selectRecipientsWithMentionsSql = (
  parts: AwaySubscriberSqlParts,
  mentioned: string,
  mentionedIds: string,
): string => `
  ${selectChannelMessageRecipientsSql(parts, mentioned)}
  UNION
  SELECT bot.id FROM users bot JOIN channels c ON c.realm_id = bot.realm_id
  WHERE c.id = ${parts.channelId} AND NOT c.is_private AND bot.id = ANY(${mentionedIds})
    AND bot.bot_type = ${genericBotType} AND bot.is_active AND bot.role <> ${userRoleNumbers.guest}`;

/** Text of a message that will be inserted, and properties that are derived from the text. */
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

/**
 * Returns the SQL parameter values of a message text, beginning with `$4`. {@link messageValuesSql} and
 * {@link insertMessageTextSql} refer to these parameters.
 */
export function messageTextValues(message: MessageText): unknown[] {
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

/** SQL names of the columns of `messages` that an insertion sets, except the realm, sender and recipient. */
export const sentMessageColumnsSql = `client_id, topic_id, topic_since, topic, is_me_message, has_link, has_attachment, has_image`;
/**
 * SQL values for the columns {@link sentMessageColumnsSql}. The values refer to a row `topic` that the function
 * `topic_of` returns.
 */
export const messageValuesSql = `$4, topic.topic_id, topic.topic_since, nullif($5, topic.topic_name), $10, $11, $12, $13`;

/** SQL of a common table expression that inserts the text of the row `message`. */
export const insertMessageTextSql = `message_text AS (
    INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
    SELECT id, $7, $8, $9 FROM message
  )`;

/**
 * SQL condition that a user other than the sender may want emails about every message of the topic, the channel or all
 * channels. Refers to the inserted row `message`, and is null for direct messages. The condition costs three index
 * lookups.
 */
export const wantsMissedMessageMailSql = `(
  SELECT EXISTS (SELECT 1 FROM user_topics ut WHERE ut.channel_id = r.channel_id AND ut.topic_key = message.topic_key
      AND ut.visibility_policy = 3 AND ut.user_id <> message.sender_id)
    OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.channel_id = r.channel_id AND s.email_notifications)
    OR EXISTS (SELECT 1 FROM users u WHERE u.realm_id = r.realm_id
      AND u.settings @> '{"enable_stream_email_notifications": true}')
  FROM recipients r WHERE r.id = message.recipient_id AND r.channel_id IS NOT NULL)`;

/**
 * Returns the SQL condition that another message with an equal value in the given column exists. ORDER BY makes the
 * planner use the index of the column and the id. Without ORDER BY, the planner may read the whole table if it expects
 * few different values in the column.
 */
const doesOtherMessageExistSql = (column: string): string => `(SELECT other.id FROM messages other
    WHERE other.${column} BETWEEN message.${column} AND message.${column}
    ORDER BY other.${column}, other.id LIMIT 1) IS NOT NULL`;

/**
 * Returns the SQL condition that a setting of the sender `u` changes the sender's visibility policy for the topic. The
 * setting's values 1 and 2 apply to any message, 3 to the first message of a topic, and 4 to no message.
 */
const isSenderPolicyChangedSql = (setting: string, initial: number): string =>
  `(CASE coalesce((u.settings ->> '${setting}')::int, ${initial}) WHEN 4 THEN false WHEN 3 THEN NOT (${doesOtherMessageExistSql('topic_id')})
        ELSE true END)`;

/**
 * SQL columns `is_first` and `visibility_policy` for a statement that inserts a message as `message` and therefore does
 * not see it in the table. The column `visibility_policy` contains the sender's new policy for the topic; null for no
 * change. Following (3) takes precedence over unmuting (2), which applies to muted channels. A message never lowers a
 * policy.
 */
export const sendSideEffectColumnsSql = `
  NOT (${doesOtherMessageExistSql('recipient_id')}) AS is_first,
  (SELECT CASE
      WHEN ${isSenderPolicyChangedSql('automatically_follow_topics_policy', 3)}
        THEN CASE WHEN coalesce(ut.visibility_policy, 0) < 3 THEN 3 END
      WHEN s.is_muted AND ${isSenderPolicyChangedSql('automatically_unmute_topics_in_muted_streams_policy', 2)}
        THEN CASE WHEN coalesce(ut.visibility_policy, 0) < 2 THEN 2 END END
    FROM recipients r
    JOIN users u ON u.id = message.sender_id AND u.bot_type IS NULL
    LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = u.id AND s.is_active
    LEFT JOIN user_topics ut
      ON ut.user_id = u.id AND ut.channel_id = r.channel_id AND ut.topic_key = message.topic_key
    WHERE r.id = message.recipient_id AND r.channel_id IS NOT NULL) AS visibility_policy`;
