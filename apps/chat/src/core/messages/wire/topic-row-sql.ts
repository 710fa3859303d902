/** Returns an SQL subquery for the id of a topic in a channel; null if no message was ever sent to it. */
export const topicIdSql = (recipientId: string, topicKey: string): string =>
  `(SELECT id FROM topics WHERE recipient_id = ${recipientId} AND topic_key = ${topicKey})`;

/**
 * SQL join of `messages m` with its topic `mt`. Direct messages have no topic. The planner omits the join if no column
 * is used.
 */
export const topicJoinSql = 'LEFT JOIN topics mt ON mt.id = m.topic_id';

/**
 * Returns SQL of the topic name that a message shows: the spelling sent with the message, or the newer name if the
 * topic `mt` was renamed. Empty for direct messages.
 */
export const createShownTopicSql = (message: string): string =>
  `coalesce(CASE WHEN ${message}.topic_since = mt.last_renaming_id THEN ${message}.topic END, mt.topic, '')`;

/** SQL of the topic name that `messages m` shows, see {@link createShownTopicSql}. */
export const shownTopicSql = createShownTopicSql('m');

/** Returns an SQL SELECT of the `topic_id` of all topics for which a user has one of the visibility policies. */
export const applyTopicsPolicySql = (userId: string, policies: string): string => `
  SELECT t.id AS topic_id FROM user_topics ut JOIN recipients re ON re.channel_id = ut.channel_id
  JOIN topics t ON t.recipient_id = re.id AND t.topic_key = ut.topic_key
  WHERE ut.user_id = ${userId} AND ut.visibility_policy ${policies}`;

/** Maximum number of edit history entries of a message to store and show; the newest are included. */
export const maxEditHistoryEntries = 1_000;

/**
 * Returns SQL of the edit history entries for renamings of the topic `mt` since the message was added to it, or null.
 */
export const renamingsSinceSql = (message: string, most: number = maxEditHistoryEntries): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN renamings_since(mt.id, ${message}.topic_since, ${message}.topic, ${most}) END`;

/** Returns SQL of the edit history of a message, including renamings of its topic `mt`, newest first; null if empty. */
export const shownHistorySql = (message: string, most: number = maxEditHistoryEntries): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN ${renamingsSinceSql(message, most)} || coalesce(${message}.edit_history, '[]') ELSE ${message}.edit_history END`;

/**
 * Returns SQL of the time of the last move of a message or the last renaming of its topic `mt`; null if there is none.
 */
export const shownMoveTimeSql = (message: string): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN coalesce(renamed_since(mt.id, ${message}.topic_since), ${message}.last_moved_at)
    ELSE ${message}.last_moved_at END`;
