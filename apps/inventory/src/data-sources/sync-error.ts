/** A synchronization failed for a reason that its users can read and act on. The message is stored in the job. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
}

/** Another process has taken over the job, or its data source was deleted. The work of this process is discarded. */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}
