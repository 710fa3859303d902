import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import {
  readSystemGroupIds,
  PermissionValueByGroupId,
  listAnonymousGroups,
  type SystemGroupsAndPermissionValues,
  readUserGroupsForSnapshot,
} from '../user-groups/index.js';
import { giphySnapshotPart, tenorSnapshotPart } from './gif-keys.snapshot.js';
import { getRealmSnapshotFields } from './realm-snapshot-fields.js';
import { realmSnapshotShape } from './realm-snapshot-fields.schemas.js';
import { getRealmRow, type RealmRecord } from './get-realm-row.js';

/** Returns the realm of the registering user. Reads the realm only once per POST /register request. */
export function getSnapshotRealm(context: SnapshotContext): Promise<RealmRecord> {
  return context.shared(readRealmForSnapshot);
}

function readRealmForSnapshot({ tx, actor }: SnapshotContext): Promise<RealmRecord> {
  return getRealmRow(tx, actor.realmId);
}

const realmSnapshotPart = defineSnapshotPart({
  types: ['realm'],
  shape: realmSnapshotShape,
  async read(context) {
    const { config, origin, renderer, serverGeneration } = context;
    const realm = await getSnapshotRealm(context);
    const { systemGroups, values } = await readRealmPermissionGroups(context, realm);
    return getRealmSnapshotFields(realm, {
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

/**
 * Returns the user groups to which the realm's permissions refer. Reads only anonymous groups if the client does not
 * request all groups.
 */
async function readRealmPermissionGroups(
  context: SnapshotContext,
  { permissions }: RealmRecord,
): Promise<SystemGroupsAndPermissionValues> {
  const { tx, actor, wants } = context;
  if (wants('realm_user_groups')) return readUserGroupsForSnapshot(context);
  return {
    values: new PermissionValueByGroupId(await listAnonymousGroups(tx, Object.values(permissions))),
    systemGroups: await readSystemGroupIds(tx, actor.realmId),
  };
}

/** Parts of the POST /register response about the realm. */
export const realmSnapshotParts = [realmSnapshotPart, giphySnapshotPart, tenorSnapshotPart];
