import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { SystemGroupMemberChange } from './assign-role-groups.js';
import { userGroupAddMembersEvent, userGroupRemoveMembersEvent } from './user-groups.events.js';

/** Emits events to all users about accounts that were added to or removed from system groups. */
export function emitSystemGroupMemberChanges(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  changes: readonly SystemGroupMemberChange[],
): void {
  for (const { groupId, op, userIds } of changes) {
    const type = op === 'add' ? userGroupAddMembersEvent : userGroupRemoveMembersEvent;
    const payload = { groupId, deactivated: false, userIds: [...userIds] };
    events.write(tx, realmId, type, { audience: { all: true }, payload });
  }
}

interface UserGroupMembershipRow {
  group_id: number;
  deactivated: boolean;
  user_ids: number[];
}

/**
 * Emits events to all users about the group memberships of accounts that were created, deactivated or reactivated.
 * Executes one SQL statement. The database retains the memberships of deactivated accounts (docs/contract/chat.md 6.5).
 */
export async function emitUserGroupMembershipChanges(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  change: { readonly userIds: readonly number[]; readonly isActive: boolean },
): Promise<void> {
  const { rows } = await tx.query<UserGroupMembershipRow>(
    `SELECT m.group_id, g.deactivated, array_agg(m.user_id ORDER BY m.user_id) AS user_ids
     FROM user_group_members m JOIN user_groups g ON g.id = m.group_id
     WHERE m.user_id = ANY($1) AND g.kind <> 'anonymous' GROUP BY m.group_id, g.deactivated ORDER BY m.group_id`,
    [change.userIds],
  );
  const type = change.isActive ? userGroupAddMembersEvent : userGroupRemoveMembersEvent;
  for (const row of rows) {
    const payload = { groupId: row.group_id, deactivated: row.deactivated, userIds: row.user_ids };
    events.write(tx, realmId, type, { audience: { all: true }, payload });
  }
}
