import type { Tx } from '@switchboard/database';
import { type RealmPermission, realmPermissions } from '../access/permission-settings.js';
import {
  storeGroupPermissionChanges,
  readSystemGroupIds,
  groupPermissionChangeSchema,
  type GroupPermissionValue,
  removeReplacedAnonymousGroups,
} from '../user-groups/index.js';
import { getLegacyPolicies } from './legacy-policy-settings.js';

/** Permissions of a realm that a request changed, by name of the permission. */
export interface ChangedRealmPermissions {
  readonly changed: Readonly<Record<string, GroupPermissionValue>>;
  /** Former values of the changed permissions. */
  readonly before: Readonly<Record<string, GroupPermissionValue>>;
  /**
   * Values in the emitted event: the changed permissions, and the older settings that are derived from these
   * permissions.
   */
  readonly derived: Readonly<Record<string, GroupPermissionValue>>;
}

/**
 * Changes the user groups that have permissions of the realm. The caller must have locked the realm.
 *
 * @throws ApplicationError BAD_REQUEST, EXPECTATION_MISMATCH, SYSTEM_GROUP_REQUIRED
 */
export async function changeRealmPermissions(
  tx: Tx,
  realmId: number,
  requested: Readonly<Record<string, unknown>>,
): Promise<ChangedRealmPermissions> {
  const names = realmPermissionNames.filter((name) => requested[name] !== undefined);
  if (names.length === 0) return { changed: {}, before: {}, derived: {} };
  const current = await readRealmPermissions(tx, realmId);
  const settings = await storeGroupPermissionChanges(
    tx,
    realmId,
    names.map((name) => {
      const { new: value, old } = groupPermissionChangeSchema.parse(requested[name]);
      const change = { new: value, ...(old !== undefined && { old }) };
      return { name, setting: realmPermissions[name], groupId: current.get(name) ?? 0, change };
    }),
  );
  if (settings.length === 0) return { changed: {}, before: {}, derived: {} };
  const groupIds = new Map(settings.map(({ name, groupId }) => [name, groupId]));
  await tx.query(
    `UPDATE realm_permissions p SET group_id = changed.group_id
     FROM unnest($2::text[], $3::int[]) AS changed(setting, group_id)
     WHERE p.realm_id = $1 AND p.setting = changed.setting`,
    [realmId, [...groupIds.keys()], [...groupIds.values()]],
  );
  await removeReplacedAnonymousGroups(tx, settings);
  const changed = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  const older = getLegacyPolicies(Object.fromEntries(groupIds), await readSystemGroupIds(tx, realmId));
  const before = Object.fromEntries(settings.map((setting) => [setting.name, setting.before]));
  return { changed, before, derived: { ...changed, ...older } };
}

const realmPermissionNames: readonly RealmPermission[] = Object.keys(realmPermissions).filter(isRealmPermission);

function isRealmPermission(name: string): name is RealmPermission {
  return name in realmPermissions;
}

async function readRealmPermissions(tx: Tx, realmId: number): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ setting: string; group_id: number }>(
    'SELECT setting, group_id FROM realm_permissions WHERE realm_id = $1',
    [realmId],
  );
  return new Map(rows.map((row) => [row.setting, row.group_id]));
}
