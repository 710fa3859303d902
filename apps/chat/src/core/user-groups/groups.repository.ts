import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import {
  channelPermissionSettings,
  type UserGroupPermissionName,
  userGroupPermissionNames,
} from '../access/permission-settings.js';

/** A named or system group, with the ids of the groups that have permissions on it. */
export interface UserGroupWithPermissions extends Record<`${UserGroupPermissionName}_id`, number> {
  id: number;
  kind: 'system' | 'named';
  name: string;
  description: string;
  deactivated: boolean;
}

/** Names of the columns of `user_groups` that store a group's permissions. */
export const userGroupPermissionColumns = userGroupPermissionNames.map((name) => `${name}_id`);

const userGroupColumnsSql = `id, kind, name, description, deactivated, ${userGroupPermissionColumns.join(', ')}`;

/** Locks a named or system group until the transaction ends. Returns null if the realm has no group with this id. */
export async function lockUserGroup(tx: Tx, realmId: number, id: number): Promise<UserGroupWithPermissions | null> {
  const { rows } = await tx.query<UserGroupWithPermissions>(
    `SELECT ${userGroupColumnsSql} FROM user_groups WHERE realm_id = $1 AND id = $2::bigint AND kind <> 'anonymous'
     FOR NO KEY UPDATE`,
    [realmId, id],
  );
  return rows[0] ?? null;
}

/** Returns true if the realm has a named or system group with the given id. */
export async function doesUserGroupExist(tx: SqlQueryRunner, realmId: number, id: number): Promise<boolean> {
  const { rows } = await tx.query(
    "SELECT 1 FROM user_groups WHERE realm_id = $1 AND id = $2::bigint AND kind <> 'anonymous'",
    [realmId, id],
  );
  return rows.length > 0;
}

/**
 * Returns an SQL common table expression `inside` with the group `$1` and, unless `isDirectOnly`, all its direct and
 * indirect subgroups. UNION prevents endless recursion in cycles.
 */
const selectGroupAndSubgroupsSql = (isDirectOnly: boolean) => `WITH RECURSIVE inside(id) AS (
  SELECT $1::int UNION SELECT s.subgroup_id FROM user_group_subgroups s JOIN inside i ON i.id = s.group_id
  WHERE ${isDirectOnly ? 'false' : 'true'})`;

/** Lists the ids of a user group's active members in ascending order, in one SQL statement. */
export async function listUserGroupMemberIds(
  tx: SqlQueryRunner,
  groupId: number,
  isDirectOnly: boolean,
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `${selectGroupAndSubgroupsSql(isDirectOnly)} SELECT DISTINCT u.id FROM inside i JOIN user_group_members m ON m.group_id = i.id
     JOIN users u ON u.id = m.user_id WHERE u.is_active ORDER BY u.id`,
    [groupId],
  );
  return rows.map(({ id }) => id);
}

/** Lists the ids of a user group's subgroups in ascending order, in one SQL statement. */
export async function listUserGroupSubgroupIds(
  tx: SqlQueryRunner,
  groupId: number,
  isDirectOnly: boolean,
): Promise<number[]> {
  const sql = isDirectOnly
    ? 'SELECT subgroup_id AS id FROM user_group_subgroups WHERE group_id = $1 ORDER BY 1'
    : `${selectGroupAndSubgroupsSql(false)} SELECT id FROM inside WHERE id <> $1 ORDER BY id`;
  const { rows } = await tx.query<{ id: number }>(sql, [groupId]);
  return rows.map(({ id }) => id);
}

/**
 * SQL common table expression `around` that selects the group `$1` and all groups that contain it directly or
 * indirectly.
 */
const selectContainingGroupsSql = `WITH RECURSIVE around(id) AS (
  SELECT $1::int UNION SELECT s.group_id FROM user_group_subgroups s JOIN around a ON a.id = s.subgroup_id)`;

/** Lists the ids of a group and of all groups that contain this group, including anonymous groups. */
export async function listContainingUserGroupIds(tx: SqlQueryRunner, groupId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(`${selectContainingGroupsSql} SELECT id FROM around`, [groupId]);
  return rows.map(({ id }) => id);
}

/** Returns true if membership of the user group makes a private channel visible (docs/contract/chat.md 5.3). */
export async function doesGroupRevealPrivateChannel(tx: SqlQueryRunner, groupId: number): Promise<boolean> {
  const { rows } = await tx.query(
    `${selectContainingGroupsSql} SELECT 1 FROM channels c WHERE c.is_private AND ARRAY[c.can_administer_channel_group_id,
       c.can_add_subscribers_group_id, c.can_subscribe_group_id] && (SELECT array_agg(id) FROM around) LIMIT 1`,
    [groupId],
  );
  return rows.length > 0;
}

/**
 * Returns true if a private channel is visible to members of some of the given user groups, but not to members of all
 * these groups.
 */
export async function doGroupsRevealDifferentChannels(
  tx: SqlQueryRunner,
  realmId: number,
  groupIds: readonly number[],
): Promise<boolean> {
  const { rows } = await tx.query(
    `WITH RECURSIVE around(root, id) AS (
       SELECT root, root FROM unnest($2::int[]) AS root
       UNION SELECT a.root, s.group_id FROM user_group_subgroups s JOIN around a ON a.id = s.subgroup_id),
     distinguishing AS (SELECT id FROM around GROUP BY id HAVING count(DISTINCT root) < cardinality($2::int[]))
     SELECT 1 FROM channels c WHERE c.realm_id = $1 AND c.is_private AND ARRAY[c.can_administer_channel_group_id,
       c.can_add_subscribers_group_id, c.can_subscribe_group_id] && ARRAY(SELECT id FROM distinguishing) LIMIT 1`,
    [realmId, groupIds],
  );
  return rows.length > 0;
}

/** Use of a user group that prevents its deactivation, in the response form of docs/contract/chat.md 1.5. */
export type UserGroupUsage =
  | { type: 'subgroup'; supergroup_ids: number[] }
  | { type: 'realm'; settings: string[] }
  | { type: 'channel'; channel_id: number; settings: string[] }
  | { type: 'user_group'; group_id: number; settings: string[] };

/**
 * Returns SQL that selects those permissions of a channel or group that are granted to one of several user groups.
 * `row` is the alias of the channel or group.
 */
const selectGroupPermissionsSql = (row: string, parameter: string) => `
  SELECT ${row}.id, array_agg(left(column_name, -3) ORDER BY column_name) AS settings
  FROM jsonb_each(to_jsonb(${row})) AS held(column_name, group_id)
  WHERE column_name = ANY(${parameter}) AND held.group_id IN (SELECT to_jsonb(id) FROM used)`;

/** Lists all objects that use a user group, directly or within an anonymous group, in one SQL statement. */
export async function listUserGroupUsages(
  tx: SqlQueryRunner,
  realmId: number,
  groupId: number,
): Promise<UserGroupUsage[]> {
  const { rows } = await tx.query<{ use: UserGroupUsage }>(
    `WITH used(id) AS (
       SELECT $2::int UNION ALL SELECT g.id FROM user_group_subgroups s JOIN user_groups g ON g.id = s.group_id
       WHERE s.subgroup_id = $2 AND g.kind = 'anonymous')
     SELECT jsonb_build_object('type', 'subgroup', 'supergroup_ids', jsonb_agg(g.id ORDER BY g.id)) AS use
     FROM user_group_subgroups s JOIN user_groups g ON g.id = s.group_id
     WHERE s.subgroup_id = $2 AND g.kind <> 'anonymous' HAVING count(*) > 0
     UNION ALL
     SELECT jsonb_build_object('type', 'realm', 'settings', jsonb_agg(p.setting ORDER BY p.setting))
     FROM realm_permissions p JOIN used ON used.id = p.group_id HAVING count(*) > 0
     UNION ALL
     SELECT jsonb_build_object('type', 'channel', 'channel_id', held.id, 'settings', held.settings)
     FROM channels c CROSS JOIN LATERAL (${selectGroupPermissionsSql('c', '$3')} GROUP BY 1) held WHERE c.realm_id = $1
     UNION ALL
     SELECT jsonb_build_object('type', 'user_group', 'group_id', held.id, 'settings', held.settings)
     FROM user_groups g CROSS JOIN LATERAL (${selectGroupPermissionsSql('g', '$4')} GROUP BY 1) held
     WHERE g.realm_id = $1 AND g.id <> $2`,
    [realmId, groupId, Object.keys(channelPermissionSettings).map((name) => `${name}_id`), userGroupPermissionColumns],
  );
  return rows.map(({ use }) => use);
}
