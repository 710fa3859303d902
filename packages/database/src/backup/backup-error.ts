/** Error of a backup or a restore. Its message is one line for the operator, without a password. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Returns the message of an error, or those of the errors that it collects, such as those of several addresses. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join(', ');
  return error instanceof Error ? error.message : String(error);
}
