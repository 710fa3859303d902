import { z } from 'zod';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import { GroupSettingValues } from './group-setting-value.js';
import type { SystemGroups } from './system-groups.js';
import { listGroups, type UserGroupRow } from './user-groups.repository.js';
import { groupRecord, toWireUserGroup, wireUserGroup } from './wire-user-group.js';

/** The groups of the realm, and what permissions are written with. */
export interface SnapshotGroups {
  readonly groups: readonly UserGroupRow[];
  readonly systemGroups: SystemGroups;
  readonly values: GroupSettingValues;
}

/** Every group, read once a registration: one statement. */
export function snapshotGroups(context: SnapshotContext): Promise<SnapshotGroups> {
  return context.shared(readGroups);
}

async function readGroups({ tx, actor }: SnapshotContext): Promise<SnapshotGroups> {
  const groups = await listGroups(tx, actor.realmId);
  const system = groups.filter(({ kind }) => kind === 'system');
  return {
    groups,
    systemGroups: new Map(system.map(({ name, id }) => [name ?? '', id])),
    values: new GroupSettingValues(groups.map(groupRecord)),
  };
}

/** Nameless groups stand in setting values alone; deactivated ones are for clients that know them. */
const groupsPart = defineSnapshotPart({
  types: ['realm_user_groups'],
  shape: { realm_user_groups: z.array(wireUserGroup) },
  async read(context) {
    const { groups, values } = await snapshotGroups(context);
    const showsDeactivated = context.form.client_capabilities.include_deactivated_groups;
    const shown = groups.filter(({ kind, deactivated }) => kind !== 'anonymous' && (showsDeactivated || !deactivated));
    return { realm_user_groups: shown.map((group) => toWireUserGroup(group, values)) };
  },
});

/** What this module tells in a snapshot. */
export const userGroupSnapshotParts = [groupsPart];
