import type { Logger } from '@switchboard/platform';
import type { StoredFileLedger } from './stored-file-ledger.js';

const fileSweepIntervalMs = 600_000;

/**
 * Periodically removes files that were marked for deletion long ago.
 *
 * @returns a function that stops this after the current run
 */
export function startFileSweep(ledger: StoredFileLedger, logger: Logger): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = ledger
      .sweep()
      .catch((error: unknown) => logger.warn({ err: error }, 'files scheduled for deletion could not be removed'));
  }, fileSweepIntervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
