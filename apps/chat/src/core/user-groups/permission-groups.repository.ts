import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { createBadRequestError } from '../../errors.js';
import type { UserGroupWithMembers, GroupPermissionValue } from './group-setting-value.js';

/** A user group to which a permission can refer by id. */
export interface NamedUserGroup {
  readonly id: number;
  readonly kind: 'system' | 'named';
  readonly name: string;
  readonly deactivated: boolean;
}

/** Locks the named and system groups with the given ids against deactivation and renaming, in one SQL statement. */
export async function lockNamedUserGroups(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, NamedUserGroup>> {
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<NamedUserGroup>(
    `SELECT id, kind, name, deactivated FROM user_groups
     WHERE realm_id = $1 AND id = ANY($2::bigint[]) AND kind <> 'anonymous' ORDER BY id FOR SHARE`,
    [realmId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Lists the anonymous groups among the given ids, with direct members and subgroups. Executes one SQL statement. */
export async function listAnonymousGroups(tx: SqlQueryRunner, ids: readonly number[]): Promise<UserGroupWithMembers[]> {
  const { rows } = await tx.query<UserGroupWithMembers>(
    `SELECT g.id, g.kind = 'anonymous' AS "isAnonymous",
       ARRAY(SELECT m.user_id FROM user_group_members m WHERE m.group_id = g.id ORDER BY m.user_id) AS members,
       ARRAY(SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.group_id = g.id ORDER BY s.subgroup_id)
         AS subgroups
     FROM user_groups g WHERE g.id = ANY($1) AND g.kind = 'anonymous'`,
    [ids],
  );
  return rows;
}

type AnonymousGroupPermissionValue = Exclude<GroupPermissionValue, number>;

/**
 * Creates an anonymous group for each of the given permission values, with its members and subgroups, in one SQL
 * statement. Returns the ids of the new groups in the order of the values.
 */
export async function addAnonymousGroups(
  tx: Tx,
  realmId: number,
  values: readonly AnonymousGroupPermissionValue[],
): Promise<number[]> {
  if (values.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    `WITH made AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('user_groups', 'id'))::int AS id, t.value
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS t(value, place) ORDER BY t.place),
     named AS (INSERT INTO user_groups (id, realm_id, kind) SELECT id, $1, 'anonymous' FROM made),
     members AS (INSERT INTO user_group_members (group_id, user_id)
       SELECT made.id, m.id::int FROM made, jsonb_array_elements_text(made.value -> 'direct_members') AS m(id)),
     subgroups AS (INSERT INTO user_group_subgroups (group_id, subgroup_id)
       SELECT made.id, s.id::int FROM made, jsonb_array_elements_text(made.value -> 'direct_subgroups') AS s(id))
     SELECT id FROM made ORDER BY id`,
    [realmId, JSON.stringify(values)],
  );
  return rows.map((row) => row.id);
}

/**
 * Locks users against deactivation until the end of the transaction.
 *
 * @throws ApplicationError BAD_REQUEST if one of the users is not an active user of the realm
 */
export async function lockUsersAgainstDeactivation(tx: Tx, realmId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM users WHERE realm_id = $1 AND id = ANY($2::bigint[]) AND is_active AND NOT is_system_bot
     ORDER BY id FOR SHARE`,
    [realmId, userIds],
  );
  const known = new Set(rows.map((row) => row.id));
  const unknown = userIds.find((id) => !known.has(id));
  if (unknown !== undefined) throw createBadRequestError(`Invalid user ID ${unknown}`);
}

/** Deletes the anonymous groups to which the changed permissions referred before. Executes one SQL statement. */
export async function removeReplacedAnonymousGroups(
  tx: Tx,
  changed: readonly { readonly replaced: number }[],
): Promise<void> {
  if (changed.length === 0) return;
  await tx.query("DELETE FROM user_groups WHERE id = ANY($1) AND kind = 'anonymous'", [
    changed.map(({ replaced }) => replaced),
  ]);
}
