import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/**
 * A row of `user_groups` with the ids of its direct members and subgroups. Only anonymous groups list deactivated
 * users.
 */
export interface UserGroupRow {
  id: number;
  kind: 'system' | 'named' | 'anonymous';
  name: string | null;
  description: string;
  date_created: number | null;
  creator_id: number | null;
  deactivated: boolean;
  can_add_members_group_id: number;
  can_join_group_id: number;
  can_leave_group_id: number;
  can_manage_group_id: number;
  can_mention_group_id: number;
  can_remove_members_group_id: number;
  members: number[];
  subgroups: number[];
}

/** Lists all groups of a realm, including anonymous groups, in the order of their ids. Executes one SQL statement. */
export function listUserGroupsOfRealm(tx: SqlQueryRunner, realmId: number): Promise<UserGroupRow[]> {
  return listUserGroupRows(tx, realmId, null);
}

/**
 * Lists the groups of a realm in the order of their ids, see {@link listUserGroupsOfRealm}. If `ids` is given, lists
 * only the groups with these ids.
 */
export async function listUserGroupRows(
  tx: SqlQueryRunner,
  realmId: number,
  ids: readonly number[] | null,
): Promise<UserGroupRow[]> {
  const { rows } = await tx.query<UserGroupRow>(
    `SELECT g.id, g.kind, g.name, g.description, floor(extract(epoch FROM g.date_created))::bigint AS date_created,
       g.creator_id, g.deactivated, g.can_add_members_group_id, g.can_join_group_id, g.can_leave_group_id,
       g.can_manage_group_id, g.can_mention_group_id, g.can_remove_members_group_id,
       ARRAY(SELECT m.user_id FROM user_group_members m JOIN users u ON u.id = m.user_id
         WHERE m.group_id = g.id AND (u.is_active OR g.kind = 'anonymous') ORDER BY m.user_id) AS members,
       ARRAY(SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.group_id = g.id ORDER BY s.subgroup_id) AS subgroups
     FROM user_groups g WHERE g.realm_id = $1${ids === null ? '' : ' AND g.id = ANY($2::int[])'} ORDER BY g.id`,
    ids === null ? [realmId] : [realmId, ids],
  );
  return rows;
}
