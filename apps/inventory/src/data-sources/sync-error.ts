/** Maximum length of an error message in a job, in characters. */
const maxMessageLength = 2000;

/** A synchronization failed for a reason that its users can read and act on. The message is stored in the job. */
export class SyncError extends Error {
  override readonly name = 'SyncError';

  /** @param message text that may contain texts of the source; it is shortened, and without characters that cannot be stored */
  constructor(message: string, options?: ErrorOptions) {
    super(
      message
        .slice(0, maxMessageLength)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, ' '),
      options,
    );
  }
}

/** Another process has taken over the job, or its data source was deleted. The work of this process is discarded. */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}
