/** Maximum length in characters of an error message that a synchronization job stores. */
const maxSyncErrorMessageLength = 2000;

/**
 * Error that ends the synchronization of a data source for a reason that users can understand and correct. The job
 * stores the error message.
 */
export class SyncError extends Error {
  override readonly name = 'SyncError';

  /** @param message text that may contain texts of the source; it is shortened, and without characters that cannot be stored */
  constructor(message: string, options?: ErrorOptions) {
    super(
      message
        .slice(0, maxSyncErrorMessageLength)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, ' '),
      options,
    );
  }
}

/**
 * Error thrown when another process has taken over a synchronization job, or the job's data source was deleted. The
 * work of the current process is discarded.
 */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}
