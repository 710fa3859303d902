import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { userTopicPolicyChangedEvent } from './user-topics.events.js';
import { listMutedTopics, setUserTopicPolicies, type RequestedUserTopicPolicy } from './user-topics.repository.js';
import { lockChannelRenames, lockUserTopics } from '../database-locks.js';

/**
 * Sets visibility policies of users for topics, and emits the changes to each user, in at most five statements.
 *
 * @returns true if any policy changed
 */
export async function changeUserTopics(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  requested: readonly RequestedUserTopicPolicy[],
): Promise<boolean> {
  if (requested.length === 0) return false;
  await lockUserTopics(tx, [...new Set(requested.map(({ userId }) => userId))]);
  const changed = await setUserTopicPolicies(tx, requested);
  if (changed.length === 0) return false;
  await lockChannelRenames(tx, realmId, 'shared');
  const muted = await listMutedTopics(tx, [...new Set(changed.map(({ userId }) => userId))]);
  for (const { userId, channelId, topic, lastUpdated, policy } of changed) {
    const payload = { channelId, topic, lastUpdated, policy, muted: muted.get(userId) ?? [] };
    events.write(tx, realmId, userTopicPolicyChangedEvent, { audience: { users: [userId] }, payload });
  }
  return true;
}
