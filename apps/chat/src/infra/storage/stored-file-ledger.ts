import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { DATABASE_TOKEN, FILE_STORAGE_TOKEN } from '../../tokens.js';
import type { FileStorage } from './file-storage.js';

/**
 * Maximum time in seconds between the first byte of an upload and the commit of the database row that refers to the
 * file.
 */
const maxSecondsUntilUploadCommit = 3600;
/** Number of stored files that are removed together in one batch. */
const storedFilesRemovedPerBatch = 100;

/**
 * Maintains consistency between file storage and database, which have no common transaction. Each file is scheduled for
 * deletion before the first byte is stored. The transaction that starts to use the file cancels the deletion, and the
 * transaction that ends the use schedules the deletion again. If a process dies, every referenced file still exists. A
 * periodic cleanup removes files without a database row.
 */
@Injectable()
export class StoredFileDeletionSchedule {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
  ) {}

  /**
   * Stores a file that is scheduled for deletion until a transaction with {@link cancelFileDeletion} commits.
   *
   * @throws all errors of the source
   */
  async add(key: string, source: AsyncIterable<Buffer>, contentType: string): Promise<void> {
    await this.database.query('INSERT INTO doomed_files (key) VALUES ($1)', [key]);
    await this.storage.write(key, source, contentType);
  }

  /**
   * Cancels the deletion of files that the transaction uses.
   * @throws Error if the cleanup of unused files has already removed a file
   */
  async cancelFileDeletion(tx: Tx, keys: readonly string[]): Promise<void> {
    const { rowCount } = await tx.query('DELETE FROM doomed_files WHERE key = ANY($1) AND swept_at IS NULL', [keys]);
    if (rowCount !== keys.length) throw new Error(`A file of ${keys.join(', ')} no longer exists`);
  }

  /** Marks files for deletion after the transaction commits, see {@link deleteNow}. */
  async scheduleDeletion(tx: Tx, keys: readonly string[]): Promise<void> {
    await tx.query('INSERT INTO doomed_files (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [keys]);
  }

  /**
   * Immediately removes files that are marked for deletion. If a file cannot be removed now, the periodic cleanup
   * ({@link deleteFilesMarkedLongAgo}) removes the file later.
   */
  async deleteNow(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += storedFilesRemovedPerBatch) {
      const { rows } = await this.database.query<{ key: string }>(
        'UPDATE doomed_files SET swept_at = now() WHERE key = ANY($1) RETURNING key',
        [keys.slice(start, start + storedFilesRemovedPerBatch)],
      );
      await this.#remove(rows.map(({ key }) => key));
    }
  }

  /**
   * Removes files that were marked for deletion long ago.
   *
   * @returns number of removed files
   */
  async deleteFilesMarkedLongAgo(olderThanSeconds = maxSecondsUntilUploadCommit): Promise<number> {
    const { rows } = await this.database.query<{ key: string }>(
      `UPDATE doomed_files SET swept_at = now() WHERE key IN (
         SELECT key FROM doomed_files WHERE doomed_at <= now() - make_interval(secs => $1) ORDER BY doomed_at
         LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING key`,
      [olderThanSeconds, storedFilesRemovedPerBatch],
    );
    return this.#remove(rows.map(({ key }) => key));
  }

  async #remove(keys: readonly string[]): Promise<number> {
    const outcomes = await Promise.allSettled(keys.map((key) => this.storage.remove(key)));
    const removed = keys.filter((_key, index) => outcomes[index]?.status === 'fulfilled');
    await this.database.query('DELETE FROM doomed_files WHERE key = ANY($1)', [removed]);
    return removed.length;
  }
}
