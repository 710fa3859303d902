import type { Tx } from '@switchboard/database';
import type { PermissionSetting } from '../access/permission-settings.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import {
  toCanonicalPermissionValue,
  type GroupPermissionChange,
  type GroupPermissionValue,
  PermissionValueByGroupId,
  arePermissionValuesEqual,
} from './group-setting-value.js';
import {
  addAnonymousGroups,
  lockUsersAgainstDeactivation,
  lockNamedUserGroups,
  listAnonymousGroups,
  type NamedUserGroup,
} from './permission-groups.repository.js';

/** A permission for which a request sets a value, and the requested value. */
export interface RequestedGroupPermission {
  /** Name of the permission, which error messages contain. */
  readonly name: string;
  readonly setting: PermissionSetting;
  readonly value: GroupPermissionValue;
}

/** Value of a permission in two forms: the group id in the database, and the value in the API. */
export interface StoredGroupPermissionValue {
  readonly name: string;
  /** New value of the permission's database column, which is the id of a user group. */
  readonly groupId: number;
  /** Value of the permission in the JSON form of the API. */
  readonly value: GroupPermissionValue;
}

/** Current value of a permission, and the change that a client requests. */
export interface GroupPermissionChangeRequest {
  readonly name: string;
  readonly setting: PermissionSetting;
  /**
   * Current value of the permission's database column, which is the id of a user group. The caller must have locked the
   * row with this column.
   */
  readonly groupId: number;
  readonly change: GroupPermissionChange;
}

/** A permission whose value has changed. */
export interface ChangedGroupPermission extends StoredGroupPermissionValue {
  /** Previous value of the permission's database column, which is the id of a user group. */
  readonly replaced: number;
  /** Previous value of the permission in the format of the API. */
  readonly before: GroupPermissionValue;
}

/**
 * Checks requested values of permissions, and creates the anonymous groups that represent some values. Executes at most
 * four SQL statements for any number of permissions. Locks the named groups against deactivation until the end of the
 * transaction. Returns the values to store, in the order of the requested values.
 *
 * @throws ApplicationError BAD_REQUEST, SYSTEM_GROUP_REQUIRED
 */
export async function storeGroupPermissions(
  tx: Tx,
  realmId: number,
  requested: readonly RequestedGroupPermission[],
): Promise<StoredGroupPermissionValue[]> {
  if (requested.length === 0) return [];
  const settings = requested.map((one) => ({ ...one, value: toCanonicalPermissionValue(one.value) }));
  await lockUsersAgainstDeactivation(
    tx,
    realmId,
    settings.flatMap(({ value }) => getMemberIdsOfPermission(value)),
  );
  const known = await lockNamedUserGroups(
    tx,
    realmId,
    settings.flatMap(({ value }) => getSubgroupIdsOfPermission(value)),
  );
  for (const setting of settings) checkGroupPermissionValue(setting, known);
  const nameless = settings.map(({ value }) => value).filter((value) => typeof value !== 'number');
  const made = await addAnonymousGroups(tx, realmId, nameless);
  return settings.map(({ name, value }) => ({
    name,
    value,
    groupId: typeof value === 'number' ? value : (made.shift() ?? 0),
  }));
}

/**
 * Computes requested changes of permissions in locked rows, and creates the anonymous groups that represent some
 * values. The result omits unchanged permissions. The caller must update the columns and then call
 * `removeReplacedAnonymousGroups`.
 *
 * @throws ApplicationError EXPECTATION_MISMATCH when `old` differs from the current value; BAD_REQUEST,
 * SYSTEM_GROUP_REQUIRED
 */
export async function storeGroupPermissionChanges(
  tx: Tx,
  realmId: number,
  changes: readonly GroupPermissionChangeRequest[],
): Promise<ChangedGroupPermission[]> {
  if (changes.length === 0) return [];
  const groupIds = changes.map(({ groupId }) => groupId);
  const current = new PermissionValueByGroupId(await listAnonymousGroups(tx, groupIds));
  for (const { groupId, change } of changes) {
    if (change.old !== undefined && !arePermissionValuesEqual(change.old, current.getPermissionValue(groupId))) {
      throw chatErrors.create('EXPECTATION_MISMATCH');
    }
  }
  const different = changes.filter(
    ({ groupId, change }) => !arePermissionValuesEqual(change.new, current.getPermissionValue(groupId)),
  );
  const requested = different.map(({ name, setting, change }) => ({ name, setting, value: change.new }));
  const stored = await storeGroupPermissions(tx, realmId, requested);
  return stored.map((setting, index) => {
    const replaced = different[index]?.groupId ?? 0;
    return { ...setting, replaced, before: current.getPermissionValue(replaced) };
  });
}

function getSubgroupIdsOfPermission(value: GroupPermissionValue): number[] {
  return typeof value === 'number' ? [value] : value.direct_subgroups;
}

function getMemberIdsOfPermission(value: GroupPermissionValue): number[] {
  return typeof value === 'number' ? [] : value.direct_members;
}

function checkGroupPermissionValue(
  { name, setting, value }: RequestedGroupPermission,
  known: ReadonlyMap<number, NamedUserGroup>,
): void {
  const groups = getSubgroupIdsOfPermission(value).map((id) => {
    const group = known.get(id);
    if (group === undefined || group.deactivated) throw createBadRequestError('Invalid user group');
    return group;
  });
  if (setting.requiresSystemGroup === true && (typeof value !== 'number' || groups[0]?.kind !== 'system')) {
    const fields = { setting_name: name };
    throw chatErrors.create('SYSTEM_GROUP_REQUIRED', { params: fields, fields });
  }
  const refused = groups.find((group) => !isGroupAllowedForPermission(setting, group));
  if (refused !== undefined) throw createBadRequestError(`'${name}' setting cannot be set to '${refused.name}' group.`);
}

function isGroupAllowedForPermission(setting: PermissionSetting, { kind, name }: NamedUserGroup): boolean {
  if (kind !== 'system') return true;
  if (name === 'role:internet') return false;
  if (name === 'role:nobody') return setting.allowsNobody ?? true;
  return name !== 'role:everyone' || (setting.allowsEveryone ?? true);
}
