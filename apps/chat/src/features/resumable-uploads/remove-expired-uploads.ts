import type { Database, Tx } from '@switchboard/database';
import { changeUploadTotal } from '../../core/attachments/index.js';
import type { FileLedger } from '../../infra/storage/index.js';
import { deleteParts } from './resumable-uploads.repository.js';

/** Dependencies of {@link removeExpiredUploads}. */
export interface ExpiredUploadDependencies {
  readonly database: Database;
  readonly files: Pick<FileLedger, 'scheduleDeletion' | 'deleteNow'>;
  /** Lifetime of an upload in hours. */
  readonly hours: number;
}

const batchSize = 100;

/** Removes expired resumable uploads in batches, and returns the sizes of unfinished ones to the quotas of the realms. */
export async function removeExpiredUploads(tools: ExpiredUploadDependencies, signal: AbortSignal): Promise<void> {
  for (let removed = batchSize; removed === batchSize && !signal.aborted;) {
    const batch = await tools.database.inTransaction((tx) => removeBatch(tx, tools));
    await tools.files.deleteNow(batch.keys);
    removed = batch.count;
  }
}

async function removeBatch(tx: Tx, { files, hours }: ExpiredUploadDependencies) {
  const { rows } = await tx.query<{ id: string; size: number; is_finished: boolean; realm_id: number }>(
    `SELECT p.id, p.size, p.path_id IS NOT NULL AS is_finished, u.realm_id
     FROM resumable_uploads p JOIN users u ON u.id = p.owner_id
     WHERE p.created_at <= now() - make_interval(hours => $1) ORDER BY p.id LIMIT $2 FOR UPDATE OF p SKIP LOCKED`,
    [hours, batchSize],
  );
  const ids = rows.map(({ id }) => id);
  const keys = await deleteParts(tx, ids);
  await files.scheduleDeletion(tx, keys);
  await tx.query('DELETE FROM resumable_uploads WHERE id = ANY($1)', [ids]);
  const bytesByRealm = new Map<number, number>();
  for (const { realm_id: realmId, size, is_finished: isFinished } of rows) {
    if (!isFinished) bytesByRealm.set(realmId, (bytesByRealm.get(realmId) ?? 0) + size);
  }
  for (const [realmId, bytes] of [...bytesByRealm].toSorted(([a], [b]) => a - b)) {
    await changeUploadTotal(tx, realmId, -bytes);
  }
  return { keys, count: rows.length };
}
