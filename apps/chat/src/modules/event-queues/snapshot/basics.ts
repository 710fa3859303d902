import { getRealm, type RealmRecord } from '../../realms/index.js';
import { groupRecord, GroupSettingValues, listGroups, type UserGroupRow } from '../../user-groups/index.js';
import { effectiveUserSettings, listUsers, type UserRecord } from '../../users/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** Reads what several parts of a snapshot need, four statements at most: a client that fetches little costs little. */
export async function readBasics(context: SnapshotContext): Promise<SnapshotBasics> {
  const realm = await readRealm(context);
  const users = await readUsers(context);
  const groups = await readGroups(context);
  return {
    realm,
    users,
    ownSettings: effectiveUserSettings(await readOwnSettings(context)),
    groups,
    systemGroups: new Map(groups.filter(({ kind }) => kind === 'system').map(({ name, id }) => [name ?? '', id])),
    values: new GroupSettingValues(groups.map(groupRecord)),
  };
}

/** One small row: read for every client. */
function readRealm({ tx, actor }: SnapshotContext): Promise<RealmRecord> {
  return getRealm(tx, actor.realmId);
}

/** Everybody where people or bots are fetched; else the actor alone, whom the settings need. */
function readUsers({ tx, actor, wants }: SnapshotContext): Promise<UserRecord[]> {
  return listUsers(tx, actor.realmId, wants('realm_user', 'realm_bot') ? null : [actor.id]);
}

async function readGroups({ tx, actor, wants }: SnapshotContext): Promise<UserGroupRow[]> {
  const needed = wants('realm', 'realm_user', 'realm_user_groups', 'subscription', 'stream');
  return needed ? listGroups(tx, actor.realmId) : [];
}

async function readOwnSettings({ tx, actor, wants }: SnapshotContext): Promise<object> {
  if (!wants('user_settings', 'subscription')) return {};
  const { rows } = await tx.query<{ settings: object }>('SELECT settings FROM users WHERE id = $1', [actor.id]);
  return rows[0]?.settings ?? {};
}
