import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { snapshotDataModelNumbers, type SnapshotDataSource } from '../../events/snapshot-memory/index.js';
import { PermissionValueByGroupId } from './group-setting-value.js';
import type { SystemGroupIdByName } from './system-groups.js';
import { listUserGroupsOfRealm, type UserGroupRow } from './user-groups.repository.js';
import { toUserGroupWithMembers, toWireUserGroup } from './wire-user-group.js';

/** System groups of a realm, and the values of permissions in the API by group id. */
export interface SystemGroupsAndPermissionValues {
  readonly systemGroups: SystemGroupIdByName;
  readonly values: PermissionValueByGroupId;
}

/** JSON text of the named and system groups of a realm, with the data for converting permissions to JSON. */
export interface CachedUserGroupListJson extends SystemGroupsAndPermissionValues {
  readonly active: JsonBytes;
  readonly withDeactivated: JsonBytes;
}

/** Returns the query with which the cache of snapshot data reads all groups of a realm. */
export function createUserGroupListSource(realmId: number): SnapshotDataSource<CachedUserGroupListJson> {
  return {
    key: JSON.stringify(['groups', realmId]),
    models: [snapshotDataModelNumbers.groups, snapshotDataModelNumbers.users],
    async read(tx) {
      const groups = await listUserGroupsOfRealm(tx, realmId);
      const system = groups.filter(({ kind }) => kind === 'system');
      const values = new PermissionValueByGroupId(groups.map(toUserGroupWithMembers));
      // Anonymous groups appear only as values of settings.
      const named = groups.filter(({ kind }) => kind !== 'anonymous');
      const list = (shown: readonly UserGroupRow[]) =>
        Buffer.from(JSON.stringify(shown.map((group) => toWireUserGroup(group, values))));
      const [active, withDeactivated] = [list(named.filter(({ deactivated }) => !deactivated)), list(named)];
      const value = {
        systemGroups: new Map(system.map(({ name, id }) => [name ?? '', id])),
        values,
        active: new JsonBytes([active]),
        withDeactivated: new JsonBytes([withDeactivated]),
      };
      return { value, byteLength: active.length + withDeactivated.length };
    },
  };
}
