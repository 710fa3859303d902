import type { Logger } from '@switchboard/platform';
import type { StoredFileDeletionSchedule } from './stored-file-ledger.js';

const unusedFileCleanupIntervalMs = 600_000;

/**
 * Periodically removes files that were marked for deletion long ago.
 *
 * @returns a function that stops the periodic cleanup after its current run
 */
export function startPeriodicUnusedFileCleanup(
  ledger: StoredFileDeletionSchedule,
  logger: Logger,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = ledger
      .deleteFilesMarkedLongAgo()
      .catch((error: unknown) => logger.warn({ err: error }, 'files scheduled for deletion could not be removed'));
  }, unusedFileCleanupIntervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
