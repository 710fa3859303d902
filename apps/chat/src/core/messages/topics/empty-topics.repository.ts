import type { Database, Tx } from '@switchboard/database';

/**
 * Returns the SQL condition that the topic `t` contains no messages. The comparison with an array of one id makes the
 * planner use the index of topics. With an equation, the planner would read all messages if it expects few topics. For
 * a range of topic ids, PostgreSQL 17 would read all entries of the topic to apply a further condition on the id.
 *
 * @param range further condition on the id of a message
 */
const topicIsEmptySql = (range = ''): string => `(SELECT id FROM messages
  WHERE topic_id = ANY (ARRAY[t.id]) ${range} ORDER BY topic_id, id LIMIT 1) IS NULL`;

/**
 * Removes topics of a channel that have no messages. The caller must have locked the channel against sends, because a
 * new message may refer to a removed topic otherwise.
 *
 * @param topicKeys keys of the topics that may be empty
 */
export async function removeEmptyTopics(tx: Tx, recipientId: number, topicKeys: readonly string[]): Promise<void> {
  await tx.query(
    `DELETE FROM topics t WHERE t.recipient_id = $1 AND t.topic_key = ANY($2::text[])
       AND ${topicIsEmptySql()}`,
    [recipientId, topicKeys],
  );
}

/** Range of message ids, including its first and last id, in which a topic contains no messages. */
export interface EmptyTopicRange {
  readonly topicId: number;
  readonly membershipVersion: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the given range of message ids if the topic has no messages in this range, otherwise null. Takes no lock,
 * because reading the index entries of messages that were moved to other topics may take long.
 *
 * @param channelId the channel of the topic
 * @param range `to`: the id of a message that existed when the channel was last locked against sends. Later messages
 * have larger ids.
 */
export async function findEmptyTopicRange(
  database: Database,
  channelId: number,
  topicKey: string,
  range: { readonly from: number; readonly to: number },
): Promise<EmptyTopicRange | null> {
  const { rows } = await database.query<{ id: number; version: number }>(
    `SELECT t.id, t.membership_version AS version FROM topics t JOIN recipients r ON r.id = t.recipient_id
     WHERE r.channel_id = $1 AND t.topic_key = $2
       AND ${topicIsEmptySql('AND id BETWEEN $3 AND $4')}`,
    [channelId, topicKey, range.from, range.to],
  );
  const [topic] = rows;
  return topic === undefined ? null : { ...range, topicId: topic.id, membershipVersion: topic.version };
}

/**
 * Returns true if no messages were moved to the topic after {@link findEmptyTopicRange} returned its empty range. The
 * caller must have locked the channel so that no message can be sent, and must not have changed the topic.
 */
export async function isTopicStillEmpty(tx: Tx, { topicId, membershipVersion }: EmptyTopicRange): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM topics WHERE id = $1 AND membership_version = $2', [
    topicId,
    membershipVersion,
  ]);
  return rowCount > 0;
}

/**
 * Removes a topic if the topic has no messages outside a range of ids that is still empty. The caller must have locked
 * the channel so that no message can be sent.
 */
export async function removeTopicEmptyOutsideRange(tx: Tx, { topicId, from, to }: EmptyTopicRange): Promise<void> {
  await tx.query(
    `DELETE FROM topics t WHERE t.id = $1
       AND ${topicIsEmptySql('AND id < $2')} AND ${topicIsEmptySql('AND id > $3')}`,
    [topicId, from, to],
  );
}
