/** Parts of a send to a channel, each as SQL. */
export interface ChannelMessageParts {
  readonly channelId: string;
  readonly topicKey: string;
  /** Array of users whose flags the message sets, by an alert word or a muted sender; null for all subscribers. */
  readonly attentiveIds: string;
}

/**
 * Condition on `subscriptions s` that a message concerns a soft-deactivated subscriber, whose row is then written with
 * the message: the subscriber wants notifications of the channel, follows the topic, or gets a flag.
 */
export const concernsAway = ({ channelId, topicKey, attentiveIds }: ChannelMessageParts): string => `(
  ${attentiveIds}::int[] IS NULL
  OR s.desktop_notifications OR s.audible_notifications OR s.push_notifications OR s.email_notifications
  OR s.user_id IN (
    SELECT ut.user_id FROM user_topics ut
    WHERE ut.channel_id = ${channelId} AND ut.topic_key = ${topicKey} AND ut.visibility_policy = 3
    UNION ALL SELECT unnest(${attentiveIds}::int[])))`;
