import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  type ActorRights,
  toActorRights,
  createInsufficientPermissionError,
  rejectGuests,
} from '../access/actor-rights.js';
import { type GroupPermission, groupPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import { type GroupSettings, lockGroup } from './groups.repository.js';

/** A locked user group, and the rights of the user who sends the request. */
export interface LockedGroupWithRights {
  readonly group: GroupSettings;
  readonly rights: ActorRights;
}

/**
 * Loads and locks a user group that a request changes. Rejects system groups, because the roles of users determine the
 * members of system groups.
 *
 * @param options `deactivated`: true to accept deactivated groups.
 * @throws AppError BAD_REQUEST
 */
export async function lockGroupForChange(
  tx: Tx,
  actor: ChatActor,
  groupId: number,
  options: { readonly deactivated: boolean } = { deactivated: false },
): Promise<LockedGroupWithRights> {
  const rights = await toActorRights(tx, actor);
  rejectGuests(rights);
  const group = await lockGroup(tx, actor.realmId, groupId);
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
  { group, rights }: LockedGroupWithRights,
  ...permissions: GroupPermission[]
): boolean {
  if (rights.hasRealmPermission('can_manage_all_groups')) return true;
  return [...permissions, 'can_manage_group' as const].some((permission) =>
    rights.hasPermission(group[`${permission}_id`], groupPermissionSettings[permission]),
  );
}

/**
 * Rejects an actor without any of the given permissions of the user group.
 *
 * @throws AppError BAD_REQUEST `Insufficient permission` unless {@link hasGroupPermission}
 */
export function requireGroupPermission(accessed: LockedGroupWithRights, ...permissions: GroupPermission[]): void {
  if (!hasGroupPermission(accessed, ...permissions)) throw createInsufficientPermissionError();
}
