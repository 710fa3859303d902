/** Id of the topic of a channel, as SQL; null when no message was ever sent there. */
export const topicId = (recipientId: string, topicKey: string): string =>
  `(SELECT id FROM topics WHERE recipient_id = ${recipientId} AND topic_key = ${topicKey})`;

/** Joins the topic `mt` of `messages m`; direct messages have none. The planner leaves it out where nothing reads it. */
export const topicJoin = 'LEFT JOIN topics mt ON mt.id = m.topic_id';

/**
 * The name of a topic `mt` that a message shows, as SQL: its own spelling, until the topic is renamed. Empty for direct
 * messages.
 */
export const shownTopicOf = (message: string): string =>
  `coalesce(CASE WHEN ${message}.topic_since = mt.last_renaming_id THEN ${message}.topic END, mt.topic, '')`;

/** {@link shownTopicOf} of `messages m`. */
export const shownTopicSql = shownTopicOf('m');

/** Ids of the topics for which a user has one of the policies, as a SELECT with the column `topic_id`. */
export const topicsUnderPolicy = (userId: string, policies: string): string => `
  SELECT t.id AS topic_id FROM user_topics ut JOIN recipients re ON re.channel_id = ut.channel_id
  JOIN topics t ON t.recipient_id = re.id AND t.topic_key = ut.topic_key
  WHERE ut.user_id = ${userId} AND ut.visibility_policy ${policies}`;

/** Entries of an edit history that are stored and shown: the newest. */
export const mostEdits = 1_000;

/** Edit history entries for renamings of the topic `mt` since a message was added to it; null without any. */
export const renamingsSince = (message: string, most: number = mostEdits): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN renamings_since(mt.id, ${message}.topic_since, ${message}.topic, ${most}) END`;

/** The edit history of a message with the renamings of its topic `mt`, newest first; null where there is none. */
export const shownHistory = (message: string, most: number = mostEdits): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN ${renamingsSince(message, most)} || coalesce(${message}.edit_history, '[]') ELSE ${message}.edit_history END`;

/** Time of the last move of a message, or renaming of its topic `mt`; null where there is none. */
export const shownMoveTime = (message: string): string =>
  `CASE WHEN mt.last_renaming_id > ${message}.topic_since
    THEN coalesce(renamed_since(mt.id, ${message}.topic_since), ${message}.last_moved_at)
    ELSE ${message}.last_moved_at END`;
