/** Error of a backup or a restore. Its message is one line for the operator, without a password. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
