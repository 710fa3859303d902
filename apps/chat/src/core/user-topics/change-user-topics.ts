import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../events/chat-events.js';
import { userTopicEvent } from './user-topics.events.js';
import { listMutedTopics, setUserTopics, type RequestedUserTopic } from './user-topics.repository.js';
import { lockChannelRenames, lockUserTopics } from '../database-locks.js';

/**
 * Sets visibility policies of users for topics, and emits the changes to each user, in at most five statements.
 *
 * @returns true if any policy changed
 */
export async function changeUserTopics(
  tx: Tx,
  events: ChatEvents,
  realmId: number,
  requested: readonly RequestedUserTopic[],
): Promise<boolean> {
  if (requested.length === 0) return false;
  await lockUserTopics(tx, [...new Set(requested.map(({ userId }) => userId))]);
  const changed = await setUserTopics(tx, requested);
  if (changed.length === 0) return false;
  await lockChannelRenames(tx, realmId, 'shared');
  const muted = await listMutedTopics(tx, [...new Set(changed.map(({ userId }) => userId))]);
  for (const { userId, channelId, topic, lastUpdated, policy } of changed) {
    const payload = { channelId, topic, lastUpdated, policy, muted: muted.get(userId) ?? [] };
    events.write(tx, realmId, userTopicEvent, { audience: { users: [userId] }, payload });
  }
  return true;
}
