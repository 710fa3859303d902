import type { Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';
import { listContainingUserGroupIds } from './groups.repository.js';
import { lockNamedUserGroups } from './permission-groups.repository.js';

/** Adds direct members to a user group. Returns the ids of the users who became members by this call. */
export async function addDirectUserGroupMembers(
  tx: Tx,
  groupId: number,
  userIds: readonly number[],
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const { rows } = await tx.query<{ user_id: number }>(
    `INSERT INTO user_group_members (group_id, user_id) SELECT $1, unnest($2::int[])
     ON CONFLICT DO NOTHING RETURNING user_id`,
    [groupId, userIds],
  );
  return rows.map((row) => row.user_id);
}

/**
 * Removes direct members from a user group. Returns the ids of the removed members. Ignores ids of users who are not
 * members.
 */
export async function removeDirectUserGroupMembers(
  tx: Tx,
  groupId: number,
  userIds: readonly number[],
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const { rows } = await tx.query<{ user_id: number }>(
    'DELETE FROM user_group_members WHERE group_id = $1 AND user_id = ANY($2::bigint[]) RETURNING user_id',
    [groupId, userIds],
  );
  return rows.map((row) => row.user_id);
}

/** Adds subgroups to a user group. Returns the ids of the groups that became subgroups by this call. */
export async function addDirectUserGroupSubgroups(
  tx: Tx,
  groupId: number,
  subgroupIds: readonly number[],
): Promise<number[]> {
  if (subgroupIds.length === 0) return [];
  const { rows } = await tx.query<{ subgroup_id: number }>(
    `INSERT INTO user_group_subgroups (group_id, subgroup_id) SELECT $1, unnest($2::int[])
     ON CONFLICT DO NOTHING RETURNING subgroup_id`,
    [groupId, subgroupIds],
  );
  return rows.map((row) => row.subgroup_id);
}

/**
 * Removes subgroups from a user group. Returns the ids of the removed subgroups. Ignores ids that are not subgroups.
 */
export async function removeDirectUserGroupSubgroups(
  tx: Tx,
  groupId: number,
  subgroupIds: readonly number[],
): Promise<number[]> {
  if (subgroupIds.length === 0) return [];
  const { rows } = await tx.query<{ subgroup_id: number }>(
    'DELETE FROM user_group_subgroups WHERE group_id = $1 AND subgroup_id = ANY($2::bigint[]) RETURNING subgroup_id',
    [groupId, subgroupIds],
  );
  return rows.map((row) => row.subgroup_id);
}

/**
 * Checks groups that are to become subgroups of a user group: the subgroups must exist, be active, and not contain the
 * user group (chat-4.19-1). The caller must have locked the realm membership, so that concurrent requests cannot create
 * a cycle.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export async function checkNewUserGroupSubgroups(
  tx: Tx,
  realmId: number,
  groupId: number,
  subgroupIds: readonly number[],
): Promise<void> {
  if (subgroupIds.length === 0) return;
  const known = await lockNamedUserGroups(tx, realmId, subgroupIds);
  const containing = new Set(await listContainingUserGroupIds(tx, groupId));
  for (const id of subgroupIds) {
    const group = known.get(id);
    if (group === undefined || group.deactivated) throw createBadRequestError('Invalid user group');
    if (containing.has(id)) throw createBadRequestError(`User group ${id} is already a supergroup of this group`);
  }
}
