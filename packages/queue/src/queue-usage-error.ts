/**
 * Error for a message type, row, job, transaction or option that was used incorrectly. Only a change of the program can
 * fix the error.
 */
export class QueueUsageError extends Error {
  override readonly name = 'QueueUsageError';
}
