import { messageFlagBits, topicJoinSql } from '../../core/messages/index.js';

/**
 * Returns the SQL expression for a boolean setting of the user `u`. The parameter `initial` is the value of users who
 * never set the setting.
 */
const createBooleanSettingSql = (name: string, initial: boolean): string =>
  `coalesce((u.settings ->> '${name}')::boolean, ${initial})`;

/**
 * SQL that joins messages `m` with the recipient users `u`, their message flags, and settings for the channel and the
 * topic.
 */
export const recipientsOfMessagesSql = `
  JOIN recipients r ON r.id = m.recipient_id
  ${topicJoinSql}
  JOIN user_messages um ON um.message_id = m.id AND um.flags >= 0
  JOIN users u ON u.id = um.user_id
  LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = u.id
  LEFT JOIN user_topics ut ON ut.user_id = u.id AND ut.channel_id = r.channel_id AND ut.topic_key = mt.topic_key`;

const isMentionedSql = `(um.flags & ${messageFlagBits.mentioned | messageFlagBits.group_mentioned} <> 0)`;
const isWildcardMentionedSql = `(um.flags & ${messageFlagBits.stream_wildcard_mentioned | messageFlagBits.topic_wildcard_mentioned} <> 0)`;
const topicVisibilityPolicySql = 'coalesce(ut.visibility_policy, 0)';
const followsTopicSql = `(${topicVisibilityPolicySql} = 3)`;
const areWildcardMentionsNotifiedSql = `(coalesce(s.wildcard_mentions_notify, ${createBooleanSettingSql('wildcard_mentions_notify', true)})
  OR ${followsTopicSql} AND ${createBooleanSettingSql('enable_followed_topic_wildcard_mentions_notify', true)})`;

/**
 * SQL condition over {@link recipientsOfMessagesSql} that an absent user wants an email about a message
 * (docs/contract/chat.md 2.G). The condition is checked when the message is sent, and again when the email is written.
 * The second check excludes messages that the user has read or that no longer mention the user. Messages in muted
 * topics and channels cause no emails.
 */
export const isMissedMailWantedSql = `
  um.flags & ${messageFlagBits.read} = 0 AND u.is_active AND u.bot_type IS NULL AND u.id <> m.sender_id
  AND NOT EXISTS (SELECT FROM realms gone WHERE gone.id = u.realm_id AND gone.deactivated) AND (
    r.channel_id IS NULL AND ${createBooleanSettingSql('enable_offline_email_notifications', true)}
    OR s.is_active AND ${topicVisibilityPolicySql} <> 1 AND (NOT s.is_muted OR ${topicVisibilityPolicySql} IN (2, 3)) AND (
      ${createBooleanSettingSql('enable_offline_email_notifications', true)} AND (${isMentionedSql} OR ${isWildcardMentionedSql} AND ${areWildcardMentionsNotifiedSql})
      OR ${followsTopicSql} AND ${createBooleanSettingSql('enable_followed_topic_email_notifications', true)}
      OR coalesce(s.email_notifications, ${createBooleanSettingSql('enable_stream_email_notifications', false)})))`;

/**
 * SQL expression for the number of seconds during which missed messages of a conversation are collected for one email.
 */
export const mailBatchingSecondsSql = `coalesce((u.settings ->> 'email_notifications_batching_period_seconds')::int, 120)`;

/**
 * SQL condition that the settings of the user `u` and of the organization `realm` allow message content in
 * missed-message emails.
 */
export const isContentInMailSql = `(${createBooleanSettingSql('message_content_in_email_notifications', true)}
  AND coalesce((realm.settings ->> 'message_content_allowed_in_email_notifications')::boolean, true))`;

/**
 * SQL condition that the subject of a missed-message email names the organization. The possible values of the user's
 * setting are always, never, and only for users with several accounts.
 */
export const isRealmInSubjectSql = `(CASE coalesce((u.settings ->> 'realm_name_in_email_notifications_policy')::int, 1)
  WHEN 2 THEN true WHEN 3 THEN false
  ELSE EXISTS (SELECT 1 FROM users twin WHERE twin.delivery_email_key = u.delivery_email_key AND twin.id <> u.id
    AND twin.is_active) END)`;
