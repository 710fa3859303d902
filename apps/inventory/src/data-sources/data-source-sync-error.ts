/** Maximum length of an error message in a job, in characters. */
const maxSyncErrorMessageLength = 2000;

/**
 * Error that fails a synchronization for a reason that users can understand and correct. The job stores its message.
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
 * Error thrown when another process has taken over the job, or its data source was deleted. The work of this process is
 * discarded.
 */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}
