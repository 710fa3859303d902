/**
 * Reason why the migrations of a service were not applied.
 *
 * - `layout`: the folder does not have Prisma's layout for PostgreSQL
 * - `failed`: a migration failed now, or failed earlier and was not resolved
 * - `edited`: an applied migration differs from its file
 * - `missing`: an applied migration has no file, and the database does not store the oldest release that runs with it
 * - `outdated`: an applied migration has no file and needs a later release than the running one
 * - `out_of_order`: a new migration sorts before an applied one
 * - `locked`: another session has had the migration lock for too long
 * - `server`: the server is older than the migrations require
 * - `absent`: the database does not exist and must not be created
 */
export type MigrationFault =
  | 'layout'
  | 'failed'
  | 'edited'
  | 'missing'
  | 'outdated'
  | 'out_of_order'
  | 'locked'
  | 'server'
  | 'absent';

/**
 * Error of migrations that prevents the start of the service. The message names the cause and the action that the
 * operator can take.
 */
export class MigrationError extends Error {
  constructor(
    readonly fault: MigrationFault,
    /** Folder name of the migration; an empty string for faults of the folder, the lock or the server. */
    readonly migration: string,
    message: string,
    options?: { cause: unknown },
  ) {
    super(message, options);
    this.name = 'MigrationError';
  }
}
