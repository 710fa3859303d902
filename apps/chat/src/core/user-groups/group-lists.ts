import { JsonBytes } from '../../infra/http/spliced-json.js';
import { model, type PartSource } from '../../events/snapshot-memory/index.js';
import { GroupSettingValues } from './group-setting-value.js';
import type { SystemGroups } from './system-groups.js';
import { listGroups, type UserGroupRow } from './user-groups.repository.js';
import { groupRecord, toWireUserGroup } from './wire-user-group.js';

/** System groups, and the values of permissions by the ids of groups. */
export interface PermissionContext {
  readonly systemGroups: SystemGroups;
  readonly values: GroupSettingValues;
}

/** The named and system groups of a realm as JSON, and what permissions are written with. */
export interface GroupLists extends PermissionContext {
  readonly active: JsonBytes;
  readonly withDeactivated: JsonBytes;
}

/** All groups of a realm. */
export function groupListsSource(realmId: number): PartSource<GroupLists> {
  return {
    key: JSON.stringify(['groups', realmId]),
    models: [model.groups, model.users],
    async read(tx) {
      const groups = await listGroups(tx, realmId);
      const system = groups.filter(({ kind }) => kind === 'system');
      const values = new GroupSettingValues(groups.map(groupRecord));
      // Nameless groups stand in setting values alone.
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
