import { getRealm } from '../../realms/index.js';
import { groupRecord, GroupSettingValues, listGroups } from '../../user-groups/index.js';
import { effectiveUserSettings, listUsers } from '../../users/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** Reads what several parts of a snapshot need: four statements. */
export async function readBasics({ tx, actor }: SnapshotContext): Promise<SnapshotBasics> {
  const realm = await getRealm(tx, actor.realmId);
  const users = await listUsers(tx, actor.realmId, null);
  const groups = await listGroups(tx, actor.realmId);
  const { rows } = await tx.query<{ settings: object }>('SELECT settings FROM users WHERE id = $1', [actor.id]);
  return {
    realm,
    users,
    ownSettings: effectiveUserSettings(rows[0]?.settings ?? {}),
    groups,
    systemGroups: new Map(groups.filter(({ kind }) => kind === 'system').map(({ name, id }) => [name ?? '', id])),
    values: new GroupSettingValues(groups.map(groupRecord)),
  };
}
