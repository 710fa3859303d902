import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import { listFileFieldNames } from '../engine/uploads/uploaded-file-changes.js';
import type { MediaFiles } from './media-files.js';

const millisecondsPerHour = 3_600_000;
/**
 * Age, in milliseconds, at which a suspect (possibly unused) file is checked. At that age, the transaction that stored
 * the file has ended.
 */
const suspectFileAgeMs = millisecondsPerHour;
const suspectFilesBatchSize = 1000;

/** Services and settings on which {@link SuspectFileCleanup} depends. */
export interface SuspectFileCleanupOptions {
  readonly media: MediaFiles;
  readonly database: Tx;
  readonly registry: ModelRegistry;
  readonly clock: Clock;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/**
 * Cleans up the uploaded files of writes whose outcome is unknown. Files to which an object refers remain; other files
 * are removed.
 */
export class SuspectFileCleanup {
  readonly #repeating: PeriodicTask;

  constructor(private readonly options: SuspectFileCleanupOptions) {
    const { clock, logger } = options;
    this.#repeating = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.checkSuspectFiles();
        if (count > 0) logger.info({ count }, 'removed files that no object refers to');
      },
      failed: (error) => logger.warn({ err: error }, 'files that no object refers to could not be removed'),
      restMs: () => millisecondsPerHour,
    });
  }

  /** Starts the checks of suspect (possibly unused) files: one at startup, then one each hour. */
  start(): void {
    this.#repeating.start();
  }

  /** Stops the checks of suspect (possibly unused) files, after the current check has ended. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /**
   * Checks old suspect (possibly unused) files. Marks files to which an object refers as used, and removes the other
   * files. Returns the number of removed files.
   */
  async checkSuspectFiles(): Promise<number> {
    const { media, clock } = this.options;
    const before = clock.now() - suspectFileAgeMs;
    await media.removeIncompleteFilesBefore(before);
    const suspects = await media.listSuspectFilesBefore(before);
    let removed = 0;
    for (let start = 0; start < suspects.length && !this.#repeating.isStopped; start += suspectFilesBatchSize) {
      const batch = suspects.slice(start, start + suspectFilesBatchSize);
      const used = await this.#listUsed(batch);
      await media.markAsUsed(batch.filter((path) => used.has(path)));
      const unused = batch.filter((path) => !used.has(path));
      for (const path of unused) {
        if (this.#repeating.isStopped) return removed;
        await media.removeSuspectFile(path);
        removed += 1;
      }
    }
    return removed;
  }

  /** Returns those of the given file paths to which objects in the database refer. */
  async #listUsed(paths: readonly string[]): Promise<Set<string>> {
    const { registry, database } = this.options;
    const branches = registry.models.flatMap((model) =>
      listFileFieldNames(model).map(
        (name) => `SELECT "${name}" AS path FROM ${model.table} WHERE "${name}" = ANY ($1::text[])`,
      ),
    );
    const { rows } = await database.query<{ path: string }>(branches.join(' UNION ALL '), [[...paths]]);
    return new Set(rows.map(({ path }) => path));
  }
}
