import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { doGroupsRevealDifferentChannels } from './groups.repository.js';
import { emitSystemGroupMemberChanges } from './emit-membership-changes.js';
import { assignUsersToRoleGroups } from './assign-role-groups.js';

/**
 * Moves members between the system group of full members and the system group of members in the waiting period. Emits
 * events about the changed memberships. Removes the event queues of members whose new group makes other private
 * channels visible, so that their clients register again. The caller must have locked the realm membership exclusively.
 *
 * @param userIds Ids of the members to check; null for all members of the realm.
 */
export async function moveMembersBetweenMemberGroups(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  userIds: readonly number[] | null,
): Promise<void> {
  const changes = await assignUsersToRoleGroups(tx, realmId, userIds);
  if (changes.length === 0) return;
  emitSystemGroupMemberChanges(events, tx, realmId, changes);
  const groupIds = [...new Set(changes.map(({ groupId }) => groupId))];
  if (!(await doGroupsRevealDifferentChannels(tx, realmId, groupIds))) return;
  events.endEventQueuesOfAccounts(tx, realmId, [...new Set(changes.flatMap((change) => change.userIds))]);
}
