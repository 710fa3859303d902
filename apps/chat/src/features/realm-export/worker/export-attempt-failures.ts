import { translateDatabaseError } from '@switchboard/errors';

/** Number of attempts without progress after which an export has failed. */
export const maxExportAttempts = 10;

/** Time until the next attempt after the first one, in milliseconds. It doubles with each further attempt. */
const firstExportRetryDelayMs = 10_000;

/** Maximum time between two attempts, in milliseconds. */
const maxExportRetryDelayMs = 900_000;

/** Time until the next attempt while the database or the storage is unavailable, in milliseconds. */
const exportOutageRetryDelayMs = 60_000;

/** Error of the storage of files, whose cause lies outside the export. */
export class StorageFaultError extends Error {
  override readonly name = 'StorageFaultError';

  constructor(cause: unknown) {
    super(`The storage of files failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Consequences of a failed attempt. */
export interface FailedAttempt {
  /** False if the cause lies outside the export, so that the attempt does not count towards {@link maxExportAttempts}. */
  readonly isCounted: boolean;
  /** Time until the next attempt, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Returns the consequences of an error. All counted attempts together take about an hour, so that an operator has time
 * to correct a cause that is not recognized.
 *
 * @param attempts number of attempts since the last step that was done, the failed one included
 */
export function classifyFailure(error: unknown, attempts: number): FailedAttempt {
  if (isStorageOutage(error)) return { isCounted: false, delayMs: exportOutageRetryDelayMs };
  return { isCounted: true, delayMs: Math.min(firstExportRetryDelayMs * 2 ** (attempts - 1), maxExportRetryDelayMs) };
}

function isStorageOutage(error: unknown): boolean {
  return error instanceof StorageFaultError || translateDatabaseError(error)?.kind === 'unavailable';
}
