import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';

/** Visibility policy of a user for a topic. */
export interface UserTopicPolicy {
  readonly channelId: number;
  readonly topic: string;
  readonly policy: 0 | 1 | 2 | 3;
}

/** Requested visibility policy of a user for a topic. The policy 0 deletes the user's row for the topic. */
export interface RequestedUserTopicPolicy extends UserTopicPolicy {
  readonly userId: number;
}

/** A changed visibility policy of a user for a topic. */
export interface ChangedUserTopicPolicy extends RequestedUserTopicPolicy {
  /** Time at which the user's policy for the topic was changed, in UNIX seconds. */
  readonly lastUpdated: number;
}

/** Counts the topics that a user mutes. The caller must have called {@link lockUserTopics}. */
export async function countMutedTopics(tx: Tx, userId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM user_topics WHERE user_id = $1 AND visibility_policy = 1',
    [userId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Sets visibility policies of users for topics, in two statements at most.
 *
 * @returns the changed policies, in the given order
 */
export async function setUserTopicPolicies(
  tx: Tx,
  requested: readonly RequestedUserTopicPolicy[],
): Promise<ChangedUserTopicPolicy[]> {
  const changed = new Map<string, ChangedUserTopicPolicyRow>();
  for (const [sql, part] of [
    [removeUserTopicPoliciesSql, requested.filter(({ policy }) => policy === 0)],
    [upsertUserTopicPoliciesSql, requested.filter(({ policy }) => policy !== 0)],
  ] as const) {
    if (part.length === 0) continue;
    const { rows } = await tx.query<ChangedUserTopicPolicyRow>(sql, [
      part.map(({ userId }) => userId),
      part.map(({ channelId }) => channelId),
      part.map(({ topic }) => normalizeTextForComparison(topic)),
      ...(sql === upsertUserTopicPoliciesSql ? [part.map(({ topic }) => topic), part.map(({ policy }) => policy)] : []),
    ]);
    for (const row of rows) changed.set(createUserTopicKey(row.user_id, row.channel_id, row.topic_key), row);
  }
  return requested.flatMap((one) => {
    const row = changed.get(createUserTopicKey(one.userId, one.channelId, normalizeTextForComparison(one.topic)));
    return row === undefined ? [] : [{ ...one, topic: row.topic, lastUpdated: row.last_updated }];
  });
}

interface ChangedUserTopicPolicyRow {
  user_id: number;
  channel_id: number;
  topic_key: string;
  topic: string;
  last_updated: number;
}

function createUserTopicKey(userId: number, channelId: number, topicKey: string): string {
  return JSON.stringify([userId, channelId, topicKey]);
}

const removeUserTopicPoliciesSql = `
  DELETE FROM user_topics ut USING unnest($1::int[], $2::int[], $3::text[]) AS gone(user_id, channel_id, topic_key)
  WHERE ut.user_id = gone.user_id AND ut.channel_id = gone.channel_id AND ut.topic_key = gone.topic_key
  RETURNING ut.user_id, ut.channel_id, ut.topic_key, ut.topic, floor(extract(epoch FROM now()))::bigint AS last_updated`;

const upsertUserTopicPoliciesSql = `
  INSERT INTO user_topics AS ut (user_id, channel_id, topic_key, topic, visibility_policy)
  SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::int[])
  ON CONFLICT (user_id, channel_id, topic_key) DO UPDATE
    SET visibility_policy = excluded.visibility_policy, topic = excluded.topic, last_updated = now()
    WHERE (ut.visibility_policy, ut.topic) IS DISTINCT FROM (excluded.visibility_policy, excluded.topic)
  RETURNING user_id, channel_id, topic_key, topic, floor(extract(epoch FROM last_updated))::bigint AS last_updated`;

/** A topic that a user mutes, with the name of its channel. */
export interface MutedTopic {
  readonly channel: string;
  readonly topic: string;
  readonly lastUpdated: number;
}

/**
 * Lists the muted topics of several users, by user id. Each topic has the name of its channel. The caller must have
 * called `lockChannelRenames` to prevent renames of the channels.
 */
export async function listMutedTopics(tx: Tx, userIds: readonly number[]): Promise<Map<number, MutedTopic[]>> {
  const { rows } = await tx.query<MutedTopic & { user_id: number }>(
    `SELECT ut.user_id, c.name AS channel, ut.topic, floor(extract(epoch FROM ut.last_updated))::bigint AS "lastUpdated"
     FROM user_topics ut JOIN channels c ON c.id = ut.channel_id
     WHERE ut.user_id = ANY($1) AND ut.visibility_policy = 1
     ORDER BY ut.user_id, ut.channel_id, ut.topic_key`,
    [userIds],
  );
  const muted = new Map<number, MutedTopic[]>();
  for (const { user_id: userId, ...topic } of rows) {
    const topics = muted.get(userId) ?? [];
    topics.push(topic);
    muted.set(userId, topics);
  }
  return muted;
}
