import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/**
 * System groups of every realm, from the largest to the smallest. Each group except the last group contains the next
 * group of the list (docs/contract/chat.md 6.2).
 */
const nestedSystemGroups = [
  ['role:internet', 'Everyone on the Internet'],
  ['role:everyone', 'Everyone in this organization, including guests'],
  ['role:members', 'Members of this organization, not including guests'],
  ['role:fullmembers', 'Members of this organization, not including new accounts and guests'],
  ['role:moderators', 'Moderators, administrators and owners of this organization'],
  ['role:administrators', 'Administrators and owners of this organization'],
  ['role:owners', 'Owners of this organization'],
] as const;

const nobodyGroupNameAndDescription = ['role:nobody', 'Nobody'] as const;

/** Names of the system groups of every realm. */
export const systemGroupNames = [...nestedSystemGroups, nobodyGroupNameAndDescription].map(([name]) => name);

/** Ids of a realm's system groups, by name of the group. */
export type SystemGroupIdByName = ReadonlyMap<string, number>;

/** Creates the system groups of a new realm in two SQL statements. Returns the ids of the groups. */
export async function addSystemGroupsOfRealm(tx: Tx, realmId: number): Promise<SystemGroupIdByName> {
  const all = [...nestedSystemGroups, nobodyGroupNameAndDescription];
  // The settings of each group refer to role:nobody, even its own, so the ids are created first.
  const { rows } = await tx.query<{ id: number; name: string }>(
    `WITH named AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('user_groups', 'id'))::int AS id, name, description
       FROM unnest($2::text[], $3::text[]) AS t(name, description)),
     nobody AS (SELECT id FROM named WHERE name = 'role:nobody')
     INSERT INTO user_groups (id, realm_id, kind, name, description, can_add_members_group_id, can_join_group_id,
       can_leave_group_id, can_manage_group_id, can_mention_group_id, can_remove_members_group_id)
     SELECT named.id, $1, 'system', named.name, named.description, nobody.id, nobody.id,
       nobody.id, nobody.id, nobody.id, nobody.id
     FROM named, nobody RETURNING id, name`,
    [realmId, all.map(([name]) => name), all.map(([, description]) => description)],
  );
  const ids = new Map(rows.map((row) => [row.name, row.id]));
  await addSystemGroupNesting(tx, ids);
  return ids;
}

/**
 * Adds each system group of a new realm as a subgroup to the next larger system group. The group `role:nobody` is
 * excluded.
 */
export async function addSystemGroupNesting(tx: Tx, ids: SystemGroupIdByName): Promise<void> {
  const parents = nestedSystemGroups.slice(0, -1).map(([name]) => ids.get(name) ?? 0);
  const children = nestedSystemGroups.slice(1).map(([name]) => ids.get(name) ?? 0);
  await tx.query(
    'INSERT INTO user_group_subgroups (group_id, subgroup_id) SELECT * FROM unnest($1::int[], $2::int[])',
    [parents, children],
  );
}

/** Reads the ids of a realm's system groups. */
export async function readSystemGroupIds(tx: SqlQueryRunner, realmId: number): Promise<SystemGroupIdByName> {
  const { rows } = await tx.query<{ id: number; name: string }>(
    "SELECT id, name FROM user_groups WHERE realm_id = $1 AND kind = 'system'",
    [realmId],
  );
  return new Map(rows.map((row) => [row.name, row.id]));
}
