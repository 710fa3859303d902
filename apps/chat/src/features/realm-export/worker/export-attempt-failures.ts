import { convertErrorToDatabaseFault } from '@switchboard/errors';

/** Number of consecutive attempts without progress after which an export is marked as failed. */
export const maxExportAttempts = 10;

/** Delay after the first failed attempt at an export, in milliseconds. The delay doubles with each further attempt. */
const firstExportRetryDelayMs = 10_000;

/** Maximum delay between two attempts at an export, in milliseconds. */
const maxExportRetryDelayMs = 900_000;

/**
 * Delay before the next attempt at an export while the database or the file storage is unavailable, in milliseconds.
 */
const exportOutageRetryDelayMs = 60_000;

/** Error of the file storage during an export. The cause lies outside the export, so the attempt is repeated. */
export class ExportStorageError extends Error {
  override readonly name = 'ExportStorageError';

  constructor(cause: unknown) {
    super(`The storage of files failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Consequences of a failed attempt to create an export. */
export interface FailedAttempt {
  /**
   * False if the cause of the failure lies outside the export. The attempt then does not count towards
   * {@link maxExportAttempts}.
   */
  readonly isCounted: boolean;
  /** Delay before the next attempt at the export, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Returns the consequences of an error. All counted attempts together take about an hour, so that an operator has time
 * to correct a cause that is not recognized.
 *
 * @param attempts number of attempts since the last completed step, including the failed attempt
 */
export function classifyFailure(error: unknown, attempts: number): FailedAttempt {
  if (isStorageOutage(error)) return { isCounted: false, delayMs: exportOutageRetryDelayMs };
  return { isCounted: true, delayMs: Math.min(firstExportRetryDelayMs * 2 ** (attempts - 1), maxExportRetryDelayMs) };
}

function isStorageOutage(error: unknown): boolean {
  return error instanceof ExportStorageError || convertErrorToDatabaseFault(error)?.kind === 'unavailable';
}
