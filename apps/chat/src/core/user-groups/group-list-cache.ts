import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { snapshotModels, type SnapshotDataSource } from '../../events/snapshot-memory/index.js';
import { GroupSettingValues } from './group-setting-value.js';
import type { SystemGroups } from './system-groups.js';
import { listGroups, type UserGroupRow } from './user-groups.repository.js';
import { groupRecord, toWireUserGroup } from './wire-user-group.js';

/** System groups of a realm, and the values of permissions in the API by group id. */
export interface PermissionContext {
  readonly systemGroups: SystemGroups;
  readonly values: GroupSettingValues;
}

/** JSON text of the named and system groups of a realm, with the data for converting permissions to JSON. */
export interface GroupLists extends PermissionContext {
  readonly active: JsonBytes;
  readonly withDeactivated: JsonBytes;
}

/** Returns the query with which the cache of snapshot data reads all groups of a realm. */
export function groupListsSource(realmId: number): SnapshotDataSource<GroupLists> {
  return {
    key: JSON.stringify(['groups', realmId]),
    models: [snapshotModels.groups, snapshotModels.users],
    async read(tx) {
      const groups = await listGroups(tx, realmId);
      const system = groups.filter(({ kind }) => kind === 'system');
      const values = new GroupSettingValues(groups.map(groupRecord));
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
