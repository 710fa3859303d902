import type { Client } from 'pg';
import { type AppliedMigration, readAppliedMigrations } from './migration-history.js';
import type { DatabaseMigration } from './read-migrations.js';

/**
 * Versions of the running release and of the previous release. Each version consists of three numbers, such as
 * `1.10.0`.
 */
export interface CurrentAndPreviousRelease {
  readonly version: string;
  /**
   * Version of the previous release. It is stored as the oldest usable release for a migration whose file names no
   * oldest release.
   */
  readonly previous: string;
}

/** SQL that creates the table with the oldest release that can use the database after each migration. */
const createOldestReleaseTableSql = `
  CREATE SCHEMA IF NOT EXISTS switchboard_migrations;
  CREATE TABLE IF NOT EXISTS switchboard_migrations.oldest_releases (
    migration      text PRIMARY KEY,
    oldest_release text NOT NULL CHECK (oldest_release ~ '^\\d+\\.\\d+\\.\\d+$')
  )`;

const releaseVersionCollator = new Intl.Collator('en', { numeric: true });

/**
 * Compares two release versions. Returns a negative number if `left` is older than `right`, 0 if they are equal, and
 * otherwise a positive number.
 */
export function compareReleaseVersions(left: string, right: string): number {
  return releaseVersionCollator.compare(left, right);
}

async function doesOldestReleaseTableExist(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables
       WHERE schemaname = 'switchboard_migrations' AND tablename = 'oldest_releases') AS exists`,
  );
  return rows[0]?.exists === true;
}

/** Creates the table with the oldest usable release of each migration, unless the table exists. */
export async function createOldestReleaseTable(client: Client): Promise<void> {
  if (!(await doesOldestReleaseTableExist(client))) await client.query(createOldestReleaseTableSql);
}

/**
 * Stores the oldest release that can use the database after a migration. The caller stores the release before the
 * migration runs, because effects of the migration may be visible before its end.
 */
export async function storeOldestReleaseForMigration(
  client: Client,
  migration: DatabaseMigration,
  release: CurrentAndPreviousRelease,
): Promise<void> {
  await client.query(
    `INSERT INTO switchboard_migrations.oldest_releases (migration, oldest_release) VALUES ($1, $2)
     ON CONFLICT (migration) DO UPDATE SET oldest_release = excluded.oldest_release`,
    [migration.name, migration.oldestRelease ?? release.previous],
  );
}

/** Migrations that are recorded in a database, compared with the migration files of a release. */
export interface RecordedMigrationsComparison {
  /** Recorded migrations that were not rolled back, oldest first. */
  readonly history: readonly AppliedMigration[];
  /** Names of the migrations recorded in the database for which the release has no file. */
  readonly unknown: readonly string[];
  /**
   * Oldest release that can use the database after an unknown migration, by migration name. A migration is absent if
   * the database stores no oldest release for it.
   */
  readonly oldestReleases: ReadonlyMap<string, string>;
}

/**
 * Reads the recorded migrations of a database, and the oldest usable releases of recorded migrations without a file.
 */
export async function readRecordedMigrations(
  client: Client,
  files: readonly DatabaseMigration[],
): Promise<RecordedMigrationsComparison> {
  const history = await readAppliedMigrations(client);
  const known = new Set(files.map(({ name }) => name));
  const unknown = history.map(({ name }) => name).filter((name) => !known.has(name));
  // Without unknown migrations the table is not read, so that the role needs no right to read it.
  if (unknown.length === 0 || !(await doesOldestReleaseTableExist(client)))
    return { history, unknown, oldestReleases: new Map() };
  const { rows } = await client.query<{ migration: string; oldest_release: string }>(
    'SELECT migration, oldest_release FROM switchboard_migrations.oldest_releases WHERE migration = ANY ($1)',
    [unknown],
  );
  return { history, unknown, oldestReleases: new Map(rows.map((row) => [row.migration, row.oldest_release])) };
}
