import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import { snapshotGroups } from '../user-groups/index.js';
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
    const { values, systemGroups } = await snapshotGroups(context);
    return realmBlock(await snapshotRealm(context), {
      values,
      systemGroups,
      origin,
      renderer,
      botDomain: config.DEMO_BOT_DOMAIN ?? config.DEMO_EMAIL_DOMAIN,
      isDevelopment: config.NODE_ENV !== 'production',
      video: config,
      serverGeneration,
    });
  },
});

/** What this module tells in a snapshot. */
export const realmSnapshotParts = [realmPart];
