import type { Database } from '@switchboard/database';
import { addToRealmUploadSize } from '../../core/attachments/index.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import type { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { deleteUploadParts } from './resumable-uploads.repository.js';

export interface ExpiredUploadDependencies {
  readonly database: Database;
  readonly files: Pick<StoredFileDeletionSchedule, 'scheduleDeletion' | 'deleteNow'>;
  /** Lifetime of a resumable upload in hours. */
  readonly hours: number;
}

const maxListedExpiredUploads = 10_000;

/**
 * Removes expired resumable uploads, and subtracts the sizes of unfinished uploads from the used quotas of the realms.
 * Each upload has its own transaction.
 *
 * @param signal When aborted, the function stops after the current upload.
 * @throws the error of an upload, or AggregateError of several errors, after all other uploads are done
 */
export async function removeExpiredUploads(tools: ExpiredUploadDependencies, signal: AbortSignal): Promise<void> {
  for (let listed = maxListedExpiredUploads; listed === maxListedExpiredUploads && !signal.aborted;) {
    const ids = await listExpiredUploads(tools);
    await runMaintenanceSteps(
      ids.map((id) => () => (signal.aborted ? Promise.resolve() : removeExpiredUpload(tools, id))),
    );
    listed = ids.length;
  }
}

async function listExpiredUploads({ database, hours }: ExpiredUploadDependencies): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM resumable_uploads WHERE created_at <= now() - make_interval(hours => $1) ORDER BY id LIMIT $2',
    [hours, maxListedExpiredUploads],
  );
  return rows.map(({ id }) => id);
}

async function removeExpiredUpload({ database, files }: ExpiredUploadDependencies, id: string): Promise<void> {
  const keys = await database.inTransaction(async (tx) => {
    const { rows } = await tx.query<{ size: number; is_finished: boolean; realm_id: number }>(
      `SELECT p.size, p.path_id IS NOT NULL AS is_finished, u.realm_id
       FROM resumable_uploads p JOIN users u ON u.id = p.owner_id WHERE p.id = $1 FOR UPDATE OF p SKIP LOCKED`,
      [id],
    );
    const [upload] = rows;
    if (upload === undefined) return [];
    const removed = await deleteUploadParts(tx, [id]);
    await files.scheduleDeletion(tx, removed);
    await tx.query('DELETE FROM resumable_uploads WHERE id = $1', [id]);
    if (!upload.is_finished) await addToRealmUploadSize(tx, upload.realm_id, -upload.size);
    return removed;
  });
  await files.deleteNow(keys);
}
