import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import {
  getSystemGroups,
  GroupSettingValues,
  listNamelessGroups,
  type PermissionContext,
  snapshotGroups,
} from '../user-groups/index.js';
import { realmBlock } from './realm-block.js';
import { realmBlockShape } from './realm-block.schemas.js';
import { getRealm, type RealmRecord } from './realm-row.js';

/** The realm, read once a registration: one small row. */
export function snapshotRealm(context: SnapshotContext): Promise<RealmRecord> {
  return context.shared(readRealm);
}

function readRealm({ tx, actor }: SnapshotContext): Promise<RealmRecord> {
  return getRealm(tx, actor.realmId);
}

const realmPart = defineSnapshotPart({
  types: ['realm'],
  shape: realmBlockShape,
  async read(context) {
    const { config, origin, renderer, serverGeneration } = context;
    const realm = await snapshotRealm(context);
    const { systemGroups, values } = await permissionContext(context, realm);
    return realmBlock(realm, {
      systemGroups,
      values,
      origin,
      renderer,
      botDomain: config.DEMO_BOT_DOMAIN ?? config.DEMO_EMAIL_DOMAIN,
      isDevelopment: config.NODE_ENV !== 'production',
      video: config,
      serverGeneration,
    });
  },
});

/** The realm alone needs the nameless groups of its own permissions, and not the members of every group. */
async function permissionContext(context: SnapshotContext, { permissions }: RealmRecord): Promise<PermissionContext> {
  const { tx, actor, wants } = context;
  if (wants('realm_user_groups')) return snapshotGroups(context);
  return {
    values: new GroupSettingValues(await listNamelessGroups(tx, Object.values(permissions))),
    systemGroups: await getSystemGroups(tx, actor.realmId),
  };
}

/** Parts of the snapshot. */
export const realmSnapshotParts = [realmPart];
