/** A topic, row, job, transaction or option was used in a way that no run of the program can make right. */
export class QueueUsageError extends Error {
  override readonly name = 'QueueUsageError';
}
