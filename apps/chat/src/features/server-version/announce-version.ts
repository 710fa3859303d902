import type { Database, Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { announcedServerVersion } from '../../core/realms/index.js';
import { restartEvent } from './server-version.events.js';

export interface AnnounceVersionDependencies {
  readonly database: Database;
  readonly events: ChatEventWriter;
  /** Start time of the current server process, in UNIX seconds. */
  readonly serverGeneration: number;
}

/**
 * Emits a restart event to all clients if this process is the first with a new server version. Emits nothing if the
 * database is new. If several processes start concurrently, only one of them emits the events, in the transaction that
 * stores the version.
 */
export async function announceVersion({
  database,
  events,
  serverGeneration,
}: AnnounceVersionDependencies): Promise<void> {
  const {
    zulip_version: version,
    zulip_merge_base: mergeBase,
    zulip_feature_level: featureLevel,
  } = announcedServerVersion;
  await database.inTransaction(async (tx) => {
    if (!(await recordVersion(tx, [version, mergeBase, featureLevel]))) return;
    const { rows } = await tx.query<{ id: number }>('SELECT id FROM realms ORDER BY id');
    const payload = { version, mergeBase, featureLevel, serverGeneration };
    for (const { id } of rows) events.write(tx, id, restartEvent, { audience: { all: true }, payload });
  });
}

/**
 * Stores the server version in the database. Returns true if another version was replaced. The statement compares
 * `xmax` with 0, because `xmax` is 0 in inserted rows.
 */
async function recordVersion(tx: Tx, version: readonly [string, string, number]): Promise<boolean> {
  const { rows } = await tx.query<{ replaced: boolean }>(
    `INSERT INTO server_version AS known (zulip_version, zulip_merge_base, zulip_feature_level) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET zulip_version = excluded.zulip_version,
       zulip_merge_base = excluded.zulip_merge_base, zulip_feature_level = excluded.zulip_feature_level,
       announced_at = now()
     WHERE (known.zulip_version, known.zulip_feature_level)
       IS DISTINCT FROM (excluded.zulip_version, excluded.zulip_feature_level)
     RETURNING xmax <> 0 AS replaced`,
    [...version],
  );
  return rows[0]?.replaced ?? false;
}
