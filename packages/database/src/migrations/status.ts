import { connectIfExists } from './connect.js';
import { readAppliedMigrations } from './history.js';
import { MigrationError } from './migration-error.js';
import { planMigrations } from './plan.js';
import { readMigrations } from './read-migrations.js';

/** Applied and pending migrations of a database. */
export interface MigrationStatus {
  /** Names of the applied migrations, oldest first. */
  readonly applied: string[];
  /** Names of the migrations that `applyMigrations` would apply, in order; empty when there is a problem. */
  readonly pending: string[];
  /**
   * Error that `applyMigrations` would throw before applying anything, if any. Undefined while a migration is running,
   * which counts as pending.
   */
  readonly problem?: MigrationError;
}

/**
 * Compares a database with a folder of migrations, without changing anything. A database that does not exist has no
 * applied migrations.
 *
 * @throws MigrationError (`layout`) when the folder is not one of migrations
 */
export async function migrationStatus({ url, folder }: { url: string; folder: string }): Promise<MigrationStatus> {
  const migrations = await readMigrations(folder);
  const client = await connectIfExists(url);
  if (!client) return { applied: [], pending: migrations.map(({ name }) => name) };
  try {
    const history = await readAppliedMigrations(client);
    const applied = history.filter(({ state }) => state === 'finished').map(({ name }) => name);
    try {
      return { applied, pending: planMigrations(migrations, history).map(({ name }) => name) };
    } catch (error) {
      if (error instanceof MigrationError) return { applied, pending: [], problem: error };
      throw error;
    }
  } finally {
    await client.end();
  }
}
