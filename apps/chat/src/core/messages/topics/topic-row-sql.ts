/**
 * Returns an SQL subquery for the id of a topic in a channel. The result is null if no message was ever sent to the
 * topic.
 */
export const topicIdSql = (recipientId: string, topicKey: string): string =>
  `(SELECT id FROM topics WHERE recipient_id = ${recipientId} AND topic_key = ${topicKey})`;

/**
 * SQL join of `messages m` with its topic `mt`. Direct messages have no topic. The planner omits the join if the
 * statement uses no column of the topic.
 */
export const topicJoinSql = 'LEFT JOIN topics mt ON mt.id = m.topic_id';

/**
 * Returns an SQL expression of the topic name that a reader sees for a message. The name has the spelling sent with the
 * message, or the newer name if the topic `mt` was renamed. The name is empty for direct messages.
 */
export const createShownTopicSql = (message: string): string =>
  `coalesce(CASE WHEN ${message}.topic_since = mt.last_renaming_id THEN ${message}.topic END, mt.topic, '')`;

/** SQL expression of the topic name that a reader sees for the row `messages m`, see {@link createShownTopicSql}. */
export const shownTopicSql = createShownTopicSql('m');

/** Returns an SQL SELECT of the `topic_id` of all topics for which a user has one of the given visibility policies. */
export const selectTopicsWithPolicySql = (userId: string, policies: string): string => `
  SELECT t.id AS topic_id FROM user_topics ut JOIN recipients re ON re.channel_id = ut.channel_id
  JOIN topics t ON t.recipient_id = re.id AND t.topic_key = ut.topic_key
  WHERE ut.user_id = ${userId} AND ut.visibility_policy ${policies}`;

/** Maximum number of edit history entries that are stored and returned per message. The newest entries are included. */
export const maxEditHistoryEntries = 1_000;

/**
 * Returns an SQL expression of the edit history entries about renamings of the topic `mt` after the message was added
 * to the topic. The result is null if the topic was not renamed.
 */
export const createTopicRenamingHistorySql = (message: string, most: number = maxEditHistoryEntries): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN renamings_since(mt.id, ${message}.topic_since, ${message}.topic, ${most}) END`;

/**
 * Returns an SQL expression of a message's edit history, including renamings of its topic `mt`, with the newest entry
 * first. The result is null if the history is empty.
 */
export const shownHistorySql = (message: string, most: number = maxEditHistoryEntries): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN ${createTopicRenamingHistorySql(message, most)} || coalesce(${message}.edit_history, '[]') ELSE ${message}.edit_history END`;

/**
 * Returns an SQL expression of the time at which a message was last moved or its topic `mt` was last renamed. The
 * result is null if neither has happened.
 */
export const shownMoveTimeSql = (message: string): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN coalesce(renamed_since(mt.id, ${message}.topic_since), ${message}.last_moved_at)
    ELSE ${message}.last_moved_at END`;
