import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { changeUserTopics } from './change-user-topics.js';
import type { RequestedUserTopicPolicy } from './user-topics.repository.js';

/** A topic whose messages were all moved to another channel or topic, and the new channel and topic. */
export interface MovedTopic {
  readonly realmId: number;
  readonly from: { readonly channelId: number; readonly topic: string };
  readonly to: { readonly channelId: number; readonly topic: string };
  /**
   * Ids of the users who cannot read the new channel. The topic visibility policies of these users are removed instead
   * of moved.
   */
  readonly lost: ReadonlySet<number>;
}

interface UserTopicPolicyRow {
  user_id: number;
  policy: RequestedUserTopicPolicy['policy'];
  target: RequestedUserTopicPolicy['policy'] | null;
}

/**
 * Moves the visibility policies of users from a topic to the topic to which its messages were moved. If a user already
 * has a policy for the new topic, the policy with the higher number remains.
 */
export async function moveUserTopicPolicies(tx: Tx, events: ChatEventWriter, moved: MovedTopic): Promise<void> {
  const { from, to, lost } = moved;
  const [oldKey, newKey] = [normalizeTextForComparison(from.topic), normalizeTextForComparison(to.topic)];
  const { rows } = await tx.query<UserTopicPolicyRow>(
    `SELECT ut.user_id, ut.visibility_policy AS policy, target.visibility_policy AS target
     FROM user_topics ut
     LEFT JOIN user_topics target ON target.user_id = ut.user_id AND target.channel_id = $3 AND target.topic_key = $4
     WHERE ut.channel_id = $1 AND ut.topic_key = $2 ORDER BY ut.user_id`,
    [from.channelId, oldKey, to.channelId, newKey],
  );
  const isSamePlace = from.channelId === to.channelId && oldKey === newKey;
  const requested = rows.flatMap(({ user_id: userId, policy, target }): RequestedUserTopicPolicy[] => [
    ...(isSamePlace ? [] : [{ userId, ...from, policy: 0 as const }]),
    ...(lost.has(userId) ? [] : [{ userId, ...to, policy: target !== null && target > policy ? target : policy }]),
  ]);
  await changeUserTopics(tx, events, moved.realmId, requested);
}
