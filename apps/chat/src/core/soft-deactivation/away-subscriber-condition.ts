/**
 * SQL expressions of message properties. They decide which soft-deactivated subscribers receive a channel message
 * immediately.
 */
export interface AwaySubscriberSqlParts {
  readonly channelId: string;
  readonly topicKey: string;
  /**
   * SQL of the array of user ids whose alert words or mutes affect the flags of the message; null for all subscribers.
   */
  readonly attentiveIds: string;
}

/**
 * Returns the SQL condition on `subscriptions s` that a row of `user_messages` is written immediately for a
 * soft-deactivated subscriber. This is the case if the subscriber wants notifications of the channel, follows the
 * topic, or receives a message flag.
 */
export const mayNotifyAwaySubscriberSql = ({ channelId, topicKey, attentiveIds }: AwaySubscriberSqlParts): string => `(
  ${attentiveIds}::int[] IS NULL
  OR s.desktop_notifications OR s.audible_notifications OR s.push_notifications OR s.email_notifications
  OR s.user_id IN (
    SELECT ut.user_id FROM user_topics ut
    WHERE ut.channel_id = ${channelId} AND ut.topic_key = ${topicKey} AND ut.visibility_policy = 3
    UNION ALL SELECT unnest(${attentiveIds}::int[])))`;
