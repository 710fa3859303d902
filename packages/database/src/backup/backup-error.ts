/** Error of a backup or a restore. The message is one line for the operator, without a password. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Returns the message of an error. For an error that collects several errors, such as errors of several addresses,
 * returns all messages.
 */
export function getErrorDescription(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(getErrorDescription).join(', ');
  return error instanceof Error ? error.message : String(error);
}
