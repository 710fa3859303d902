import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { AccessRevocation } from '../access/access-revocation.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createInsufficientPermissionError } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  type LockedUserGroupWithRights,
  lockUserGroupForChange,
  hasGroupPermission,
  requireGroupPermission,
} from './lock-group-for-change.js';
import {
  type UserGroupWithPermissions,
  listUserGroupMemberIds,
  doesGroupRevealPrivateChannel,
} from './groups.repository.js';
import {
  addDirectUserGroupMembers,
  addDirectUserGroupSubgroups,
  checkNewUserGroupSubgroups,
  removeDirectUserGroupMembers,
  removeDirectUserGroupSubgroups,
} from './memberships.repository.js';
import { lockUsersAgainstDeactivation } from './permission-groups.repository.js';
import {
  userGroupAddMembersEvent,
  userGroupAddSubgroupsEvent,
  userGroupRemoveMembersEvent,
  userGroupRemoveSubgroupsEvent,
} from './user-groups.events.js';
import { lockRealmMembership } from '../database-locks.js';

/** Users and groups that a request adds to or removes from a user group. */
export interface UserGroupMembershipChange {
  readonly add: readonly number[];
  readonly delete: readonly number[];
  readonly add_subgroups: readonly number[];
  readonly delete_subgroups: readonly number[];
}

/**
 * Changes the members and subgroups of a user group (docs/contract/chat.md 2.F, chat-4.19). If one change fails, no
 * member or subgroup is changed.
 */
@Injectable()
export class ChangeUserGroupMembers {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Changes the members and subgroups of the group with the given id.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, groupId: number, change: UserGroupMembershipChange): Promise<void> {
    if (Object.values(change).every((ids) => ids.length === 0)) {
      throw createBadRequestError('Nothing to do. Specify at least one of "add" or "delete".');
    }
    const affected = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const accessed = await lockUserGroupForChange(tx, actor, groupId, { deactivated: true });
      checkUserGroupMembershipRights(accessed, actor, change);
      const seesChannels = await doesGroupRevealPrivateChannel(tx, groupId);
      const before = seesChannels ? await listUserGroupMemberIds(tx, groupId, false) : [];
      await this.#changeMembers(tx, actor, accessed.group, change);
      await this.#changeSubgroups(tx, actor, accessed.group, change);
      chatAudit.add(tx, 'group_members_changed', {
        id: groupId,
        add: [...new Set(change.add)],
        delete: [...new Set(change.delete)],
        addSubgroups: [...new Set(change.add_subgroups)],
        deleteSubgroups: [...new Set(change.delete_subgroups)],
      });
      const concerned = seesChannels
        ? getIdsInExactlyOneList(before, await listUserGroupMemberIds(tx, groupId, false))
        : [];
      // These users may now see other private channels than their event queues have shown.
      this.events.endEventQueuesOfAccounts(tx, actor.realmId, concerned);
      return concerned;
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, affected);
  }

  async #changeMembers(
    tx: Tx,
    actor: ChatActor,
    group: UserGroupWithPermissions,
    change: UserGroupMembershipChange,
  ): Promise<void> {
    const groupId = group.id;
    const add = [...new Set(change.add)];
    await lockUsersAgainstDeactivation(tx, actor.realmId, add);
    const added = new Set(await addDirectUserGroupMembers(tx, groupId, add));
    const there = add.find((id) => !added.has(id));
    if (there !== undefined) throw createBadRequestError(`User ${there} is already a member of this group`);
    const removed = new Set(await removeDirectUserGroupMembers(tx, groupId, change.delete));
    const missing = change.delete.find((id) => !removed.has(id));
    if (missing !== undefined) throw createBadRequestError(`There is no member '${missing}' in this user group`);
    this.#writeMembers(tx, actor, userGroupAddMembersEvent, group, [...added]);
    this.#writeMembers(tx, actor, userGroupRemoveMembersEvent, group, await filterActiveUserIds(tx, [...removed]));
  }

  async #changeSubgroups(
    tx: Tx,
    actor: ChatActor,
    group: UserGroupWithPermissions,
    change: UserGroupMembershipChange,
  ): Promise<void> {
    const groupId = group.id;
    const add = [...new Set(change.add_subgroups)];
    await checkNewUserGroupSubgroups(tx, actor.realmId, groupId, add);
    const added = new Set(await addDirectUserGroupSubgroups(tx, groupId, add));
    const there = add.find((id) => !added.has(id));
    if (there !== undefined) throw createBadRequestError(`User group ${there} is already a subgroup of this group`);
    const removed = new Set(await removeDirectUserGroupSubgroups(tx, groupId, change.delete_subgroups));
    const missing = change.delete_subgroups.find((id) => !removed.has(id));
    if (missing !== undefined) throw createBadRequestError(`User group ${missing} is not a subgroup of this group`);
    for (const [type, ids] of [
      [userGroupAddSubgroupsEvent, added],
      [userGroupRemoveSubgroupsEvent, removed],
    ] as const) {
      if (ids.size === 0) continue;
      const payload = { groupId, deactivated: group.deactivated, subgroupIds: sortIdsAscending(ids) };
      this.events.write(tx, actor.realmId, type, { audience: { all: true }, payload });
    }
  }

  #writeMembers(
    tx: Tx,
    actor: ChatActor,
    type: typeof userGroupAddMembersEvent,
    { id: groupId, deactivated }: UserGroupWithPermissions,
    userIds: readonly number[],
  ): void {
    if (userIds.length === 0) return;
    const payload = { groupId, deactivated, userIds: sortIdsAscending(userIds) };
    this.events.write(tx, actor.realmId, type, { audience: { all: true }, payload });
  }
}

/**
 * Checks that the actor may change the members of a user group. Users who join or leave the group themselves need the
 * group's permission to join or leave. All other changes need the permission to add or remove members.
 */
function checkUserGroupMembershipRights(
  accessed: LockedUserGroupWithRights,
  actor: ChatActor,
  change: UserGroupMembershipChange,
): void {
  if (change.add.length > 0) {
    const joins = change.add.every((id) => id === actor.id) && hasGroupPermission(accessed, 'can_join_group');
    if (!joins) requireGroupPermission(accessed, 'can_add_members_group');
  }
  if (change.delete.length > 0) {
    const leaves = change.delete.every((id) => id === actor.id) && hasGroupPermission(accessed, 'can_leave_group');
    if (!leaves && !hasGroupPermission(accessed, 'can_remove_members_group')) throw createInsufficientPermissionError();
  }
  if (change.add_subgroups.length > 0) requireGroupPermission(accessed, 'can_add_members_group');
  if (change.delete_subgroups.length > 0) requireGroupPermission(accessed, 'can_remove_members_group');
}

/**
 * Returns those of the given users who are active. Clients never see deactivated users as members, so the service
 * reports only active users as removed.
 */
async function filterActiveUserIds(tx: Tx, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>('SELECT id FROM users WHERE id = ANY($1) AND is_active', [userIds]);
  return rows.map(({ id }) => id);
}

/** Returns the user ids that exactly one of the two lists contains. */
function getIdsInExactlyOneList(before: readonly number[], after: readonly number[]): number[] {
  const [was, is] = [new Set(before), new Set(after)];
  return [...before.filter((id) => !is.has(id)), ...after.filter((id) => !was.has(id))];
}

function sortIdsAscending(ids: Iterable<number>): number[] {
  return [...ids].toSorted((left, right) => left - right);
}
