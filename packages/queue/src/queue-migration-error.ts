/**
 * Error for tables in the database that do not match the migration files of a package. The error message contains
 * instructions.
 */
export class QueueMigrationError extends Error {
  override readonly name = 'QueueMigrationError';
}
