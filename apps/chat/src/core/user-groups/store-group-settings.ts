import type { Tx } from '@switchboard/database';
import type { PermissionSetting } from '../access/permission-settings.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import {
  toCanonicalSettingValue,
  type GroupSettingChange,
  type GroupSettingValue,
  GroupSettingValues,
  isSameSettingValue,
} from './group-setting-value.js';
import {
  addAnonymousGroups,
  lockMembers,
  lockNamedGroups,
  listAnonymousGroups,
  type NamedGroup,
} from './permission-groups.repository.js';

/** A permission for which a request sets a value, and the requested value. */
export interface RequestedGroupSetting {
  /** Name of the permission, which error messages contain. */
  readonly name: string;
  readonly setting: PermissionSetting;
  readonly value: GroupSettingValue;
}

/** Value of a permission in two forms: the group id in the database, and the value in the API. */
export interface StoredGroupSetting {
  readonly name: string;
  /** New value of the permission's database column, which is the id of a user group. */
  readonly groupId: number;
  /** Value of the permission in the JSON form of the API. */
  readonly value: GroupSettingValue;
}

/** Current value of a permission, and the change that a client requests. */
export interface GroupSettingChangeRequest {
  readonly name: string;
  readonly setting: PermissionSetting;
  /**
   * Current value of the permission's database column, which is the id of a user group. The caller must have locked the
   * row with this column.
   */
  readonly groupId: number;
  readonly change: GroupSettingChange;
}

/** A permission whose value has changed. */
export interface ChangedGroupSetting extends StoredGroupSetting {
  /** Previous value of the permission's database column, which is the id of a user group. */
  readonly replaced: number;
  /** Previous value of the permission in the form of the API. */
  readonly before: GroupSettingValue;
}

/**
 * Checks requested values of permissions, and creates the anonymous groups that represent some values. Executes at most
 * four SQL statements for any number of permissions. Locks the named groups against deactivation until the end of the
 * transaction. Returns the values to store, in the order of the requested values.
 *
 * @throws AppError BAD_REQUEST, SYSTEM_GROUP_REQUIRED
 */
export async function storeGroupSettings(
  tx: Tx,
  realmId: number,
  requested: readonly RequestedGroupSetting[],
): Promise<StoredGroupSetting[]> {
  if (requested.length === 0) return [];
  const settings = requested.map((one) => ({ ...one, value: toCanonicalSettingValue(one.value) }));
  await lockMembers(
    tx,
    realmId,
    settings.flatMap(({ value }) => getMemberIds(value)),
  );
  const known = await lockNamedGroups(
    tx,
    realmId,
    settings.flatMap(({ value }) => getSubgroupIds(value)),
  );
  for (const setting of settings) checkSettingValue(setting, known);
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
 * `removeReplacedGroups`.
 *
 * @throws AppError EXPECTATION_MISMATCH when `old` differs from the current value; BAD_REQUEST, SYSTEM_GROUP_REQUIRED
 */
export async function changeGroupSettings(
  tx: Tx,
  realmId: number,
  changes: readonly GroupSettingChangeRequest[],
): Promise<ChangedGroupSetting[]> {
  if (changes.length === 0) return [];
  const groupIds = changes.map(({ groupId }) => groupId);
  const current = new GroupSettingValues(await listAnonymousGroups(tx, groupIds));
  for (const { groupId, change } of changes) {
    if (change.old !== undefined && !isSameSettingValue(change.old, current.get(groupId))) {
      throw chatErrors.create('EXPECTATION_MISMATCH');
    }
  }
  const different = changes.filter(({ groupId, change }) => !isSameSettingValue(change.new, current.get(groupId)));
  const requested = different.map(({ name, setting, change }) => ({ name, setting, value: change.new }));
  const stored = await storeGroupSettings(tx, realmId, requested);
  return stored.map((setting, index) => {
    const replaced = different[index]?.groupId ?? 0;
    return { ...setting, replaced, before: current.get(replaced) };
  });
}

function getSubgroupIds(value: GroupSettingValue): number[] {
  return typeof value === 'number' ? [value] : value.direct_subgroups;
}

function getMemberIds(value: GroupSettingValue): number[] {
  return typeof value === 'number' ? [] : value.direct_members;
}

function checkSettingValue(
  { name, setting, value }: RequestedGroupSetting,
  known: ReadonlyMap<number, NamedGroup>,
): void {
  const groups = getSubgroupIds(value).map((id) => {
    const group = known.get(id);
    if (group === undefined || group.deactivated) throw createBadRequestError('Invalid user group');
    return group;
  });
  if (setting.requiresSystemGroup === true && (typeof value !== 'number' || groups[0]?.kind !== 'system')) {
    const fields = { setting_name: name };
    throw chatErrors.create('SYSTEM_GROUP_REQUIRED', { params: fields, fields });
  }
  const refused = groups.find((group) => !isGroupAllowed(setting, group));
  if (refused !== undefined) throw createBadRequestError(`'${name}' setting cannot be set to '${refused.name}' group.`);
}

function isGroupAllowed(setting: PermissionSetting, { kind, name }: NamedGroup): boolean {
  if (kind !== 'system') return true;
  if (name === 'role:internet') return false;
  if (name === 'role:nobody') return setting.allowsNobody ?? true;
  return name !== 'role:everyone' || (setting.allowsEveryone ?? true);
}
