import type { SqlReader } from '../../infra/sql-reader.js';
import { groupPermissions } from '../access/permission-settings.js';
import { GroupSettingValues } from './group-setting-value.js';
import { listAnonymousGroups } from './permission-groups.repository.js';
import { listGroupRows } from './user-groups.repository.js';
import { toWireUserGroup, type WireUserGroup } from './wire-user-group.js';

/**
 * Reads a named or system group in the form of the API, in two statements.
 *
 * @throws Error when it does not exist
 */
export async function readWireGroup(tx: SqlReader, realmId: number, groupId: number): Promise<WireUserGroup> {
  const [row] = await listGroupRows(tx, realmId, [groupId]);
  if (row === undefined) throw new Error(`There is no group ${groupId}`);
  const settings = groupPermissions.map((permission) => row[`${permission}_id`]);
  return toWireUserGroup(row, new GroupSettingValues(await listAnonymousGroups(tx, settings)));
}
