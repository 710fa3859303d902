import { connectIfDatabaseExists, requireServerVersion } from './connect-for-migrations.js';
import { MigrationError } from './migration-error.js';
import { readRecordedMigrations, type ReleaseVersions } from './oldest-releases.js';
import { planMigrations } from './plan-migrations.js';
import { readMigrations } from './read-migrations.js';

/** Applied and pending migrations of a database. */
export interface MigrationStatus {
  /** Names of the applied migrations, oldest first. */
  readonly applied: string[];
  /** Names of the migrations that `applyMigrations` would apply, in order; empty when there is a problem. */
  readonly pending: string[];
  /** True if the database does not exist. */
  readonly isDatabaseMissing: boolean;
  /** Names of the recorded migrations for which the folder has no file: a later release has applied them. */
  readonly unknown: string[];
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
 * @param options `release`: the running release, without which each unknown migration is a problem;
 *   `minimumServerVersion`: oldest supported major version of PostgreSQL, an older server is a problem
 * @throws MigrationError (`layout`) when the folder is not one of migrations
 */
export async function readMigrationStatus({
  url,
  folder,
  release,
  minimumServerVersion,
}: {
  url: string;
  folder: string;
  release?: ReleaseVersions | undefined;
  minimumServerVersion?: number;
}): Promise<MigrationStatus> {
  const migrations = await readMigrations(folder);
  const client = await connectIfDatabaseExists(url);
  if (!client) {
    return { applied: [], pending: migrations.map(({ name }) => name), unknown: [], isDatabaseMissing: true };
  }
  try {
    const recorded = await readRecordedMigrations(client, migrations);
    const applied = recorded.history.filter(({ state }) => state === 'finished').map(({ name }) => name);
    const state = { applied, unknown: [...recorded.unknown], isDatabaseMissing: false };
    try {
      await requireServerVersion(client, minimumServerVersion);
      return { ...state, pending: planMigrations(migrations, recorded, release).map(({ name }) => name) };
    } catch (error) {
      if (error instanceof MigrationError) return { ...state, pending: [], problem: error };
      throw error;
    }
  } finally {
    await client.end();
  }
}
