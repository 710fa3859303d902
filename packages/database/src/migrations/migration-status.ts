import { connectIfDatabaseExists, requireMinimumServerVersion } from './connect-for-migrations.js';
import { MigrationError } from './migration-error.js';
import { readRecordedMigrations, type CurrentAndPreviousRelease } from './oldest-compatible-releases.js';
import { determineMigrationsToApply } from './plan-migrations.js';
import { readMigrationsFromFolder } from './read-migrations.js';

/** Applied and pending migrations of a database. */
export interface MigrationStatus {
  /** Names of the applied migrations, oldest first. */
  readonly applied: string[];
  /**
   * Names of the migrations that `applyMigrations` would apply, in the order of application. Empty if {@link problem}
   * is defined.
   */
  readonly pending: string[];
  /** True if the database to compare with the migrations does not exist. */
  readonly isDatabaseMissing: boolean;
  /**
   * Names of the recorded migrations for which the folder has no file, because a later release has applied the
   * migrations.
   */
  readonly unknown: string[];
  /**
   * Error that `applyMigrations` would throw before it applies any migration; undefined if there is no such error. A
   * migration that is still running is no error and counts as pending.
   */
  readonly problem?: MigrationError;
}

/**
 * Compares a database with a folder of migrations, and returns the applied and pending migrations. Changes nothing. A
 * database that does not exist has no applied migrations.
 *
 * @param options `release`: the running release; if undefined, each unknown migration is a problem;
 *   `minimumServerVersion`: oldest supported major version of PostgreSQL, an older server is a problem
 * @throws MigrationError (`layout`) if the folder is not a folder of migrations
 */
export async function readMigrationStatus({
  url,
  folder,
  release,
  minimumServerVersion,
}: {
  url: string;
  folder: string;
  release?: CurrentAndPreviousRelease | undefined;
  minimumServerVersion?: number;
}): Promise<MigrationStatus> {
  const migrations = await readMigrationsFromFolder(folder);
  const client = await connectIfDatabaseExists(url);
  if (!client) {
    return { applied: [], pending: migrations.map(({ name }) => name), unknown: [], isDatabaseMissing: true };
  }
  try {
    const recorded = await readRecordedMigrations(client, migrations);
    const applied = recorded.history.filter(({ state }) => state === 'finished').map(({ name }) => name);
    const state = { applied, unknown: [...recorded.unknown], isDatabaseMissing: false };
    try {
      await requireMinimumServerVersion(client, minimumServerVersion);
      return { ...state, pending: determineMigrationsToApply(migrations, recorded, release).map(({ name }) => name) };
    } catch (error) {
      if (error instanceof MigrationError) return { ...state, pending: [], problem: error };
      throw error;
    }
  } finally {
    await client.end();
  }
}
