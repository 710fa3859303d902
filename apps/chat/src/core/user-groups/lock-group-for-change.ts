import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  type ActorRights,
  loadActorRights,
  createInsufficientPermissionError,
  rejectGuests,
} from '../access/actor-rights.js';
import { type UserGroupPermissionName, userGroupPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import { type UserGroupWithPermissions, lockUserGroup } from './groups.repository.js';

/** A locked user group, and the rights of the user who sends the request. */
export interface LockedUserGroupWithRights {
  readonly group: UserGroupWithPermissions;
  readonly rights: ActorRights;
}

/**
 * Loads and locks a user group that a request changes. Rejects system groups, because the roles of users determine the
 * members of system groups.
 *
 * @param options `deactivated`: true to accept deactivated groups.
 * @throws ApplicationError BAD_REQUEST
 */
export async function lockUserGroupForChange(
  tx: Tx,
  actor: ChatActor,
  groupId: number,
  options: { readonly deactivated: boolean } = { deactivated: false },
): Promise<LockedUserGroupWithRights> {
  const rights = await loadActorRights(tx, actor);
  rejectGuests(rights);
  const group = await lockUserGroup(tx, actor.realmId, groupId);
  if (group === null) throw createBadRequestError('Invalid user group');
  if (group.kind === 'system') throw createInsufficientPermissionError();
  if (group.deactivated && !options.deactivated) throw createBadRequestError('User group is deactivated.');
  return { group, rights };
}

/**
 * Returns true if the actor has at least one of the given permissions of the user group, or may manage the group
 * (docs/contract/chat.md 6.3).
 */
export function hasGroupPermission(
  { group, rights }: LockedUserGroupWithRights,
  ...permissions: UserGroupPermissionName[]
): boolean {
  if (rights.hasRealmPermission('can_manage_all_groups')) return true;
  return [...permissions, 'can_manage_group' as const].some((permission) =>
    rights.hasPermission(group[`${permission}_id`], userGroupPermissionSettings[permission]),
  );
}

/**
 * Rejects an actor without any of the given permissions of the user group.
 *
 * @throws ApplicationError BAD_REQUEST `Insufficient permission` unless {@link hasGroupPermission}
 */
export function requireGroupPermission(
  accessed: LockedUserGroupWithRights,
  ...permissions: UserGroupPermissionName[]
): void {
  if (!hasGroupPermission(accessed, ...permissions)) throw createInsufficientPermissionError();
}
