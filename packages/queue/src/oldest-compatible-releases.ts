import type { QueueTx } from './database.js';

const versionCollator = new Intl.Collator('en', { numeric: true });

/**
 * Compares two versions. Returns a negative number if `left` is older than `right`, a positive number if `left` is
 * newer, and 0 for equal versions.
 */
export function compareReleaseVersions(left: string, right: string): number {
  return versionCollator.compare(left, right);
}

/**
 * Returns the SQL that creates the table of oldest releases. For each migration, the table contains the oldest release
 * that can run against the migrated tables.
 *
 * @param schema SQL identifier of the schema
 */
export const createOldestReleasesTableSql = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${schema}.oldest_releases (
  migration text PRIMARY KEY, oldest_release text NOT NULL CHECK (oldest_release ~ '^\\d+\\.\\d+\\.\\d+$'))`;

/** Returns the SQL that stores the oldest release that can run against the tables after a migration. */
export const createOldestReleaseStorageSql = (
  schema: string,
  migration: { name: string; oldestRelease: string },
): string =>
  `INSERT INTO ${schema}.oldest_releases (migration, oldest_release)
VALUES ('${migration.name}', '${migration.oldestRelease}')`;

/**
 * Returns, for each migration, the oldest release that can run against the tables after the migration. The keys of the
 * result are names of migrations.
 *
 * @param schema `name` and SQL identifier of the schema
 */
export async function readOldestCompatibleReleases(
  connection: QueueTx,
  { name, identifier }: { name: string; identifier: string },
  migrations: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows: found } = await connection.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'oldest_releases') AS exists`,
    [name],
  );
  if (found[0]?.exists !== true) return new Map();
  const { rows } = await connection.query<{ migration: string; oldest_release: string }>(
    `SELECT migration, oldest_release FROM ${identifier}.oldest_releases WHERE migration = ANY ($1)`,
    [migrations],
  );
  return new Map(rows.map((row) => [row.migration, row.oldest_release]));
}
