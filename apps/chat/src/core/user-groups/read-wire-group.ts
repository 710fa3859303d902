import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { userGroupPermissionNames } from '../access/permission-settings.js';
import { PermissionValueByGroupId } from './group-setting-value.js';
import { listAnonymousGroups } from './permission-groups.repository.js';
import { listUserGroupRows } from './user-groups.repository.js';
import { toWireUserGroup, type WireUserGroup } from './wire-user-group.js';

/**
 * Reads a named or system group in the format of the API, in two statements.
 *
 * @throws Error when the group does not exist
 */
export async function readWireUserGroup(tx: SqlQueryRunner, realmId: number, groupId: number): Promise<WireUserGroup> {
  const [row] = await listUserGroupRows(tx, realmId, [groupId]);
  if (row === undefined) throw new Error(`There is no group ${groupId}`);
  const settings = userGroupPermissionNames.map((permission) => row[`${permission}_id`]);
  return toWireUserGroup(row, new PermissionValueByGroupId(await listAnonymousGroups(tx, settings)));
}
