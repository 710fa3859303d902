import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { QueueMigrationError } from './queue-migration-error.js';
import { createOldestReleasesTableSql, createOldestReleaseStorageSql } from './oldest-compatible-releases.js';
import type { Release } from './release.js';

/** Content of a migration file of this package, for one schema. */
export interface QueueMigrationFile {
  version: number;
  name: string;
  /** SQL of the migration file, in which the caller's schema replaces the default schema. */
  sql: string;
  /** Checksum of the migration file, which is equal for all schemas. */
  checksum: string;
  /**
   * Oldest release that can run against the migrated tables: the release named in the file, or by default the previous
   * release.
   */
  oldestRelease: string;
}

/**
 * Returns the version in the line `-- Oldest release: 1.2.0` of a migration file; undefined if the file has no such
 * line.
 */
function parseOldestRelease(name: string, text: string): string | undefined {
  const version = /^-- *oldest release:(.*)$/im.exec(text)?.[1]?.trim();
  if (version === undefined || /^\d+\.\d+\.\d+$/.test(version)) return version;
  throw new QueueMigrationError(`${name} names the oldest release "${version}": write three numbers, such as 1.2.0.`);
}

/**
 * Reads the migration files of a folder in order. Replaces the default schema name in the files by `schema`.
 *
 * @param schema SQL identifier of the schema
 * @throws QueueMigrationError when the text after `Oldest release` in a file is not a valid version
 */
export async function readQueueMigrationFiles(
  {
    folder,
    defaultSchema,
    release,
  }: { readonly folder: URL; readonly defaultSchema: string; readonly release: Release },
  schema: string,
): Promise<QueueMigrationFile[]> {
  const schemaPattern = new RegExp(`\\b${defaultSchema}\\.`, 'g');
  const names = (await readdir(folder)).filter((name) => /^\d{3}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(file).digest('hex');
      const sql = file.replaceAll(schemaPattern, `${schema}.`);
      const oldestRelease = parseOldestRelease(name, file) ?? release.previous;
      return { version: Number(name.slice(0, 3)), name, sql, checksum, oldestRelease };
    }),
  );
}

/** Returns the SQL that creates the schema and the table with the applied migrations. */
export const createMigrationVersionTableSql = (schema: string): string =>
  `CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.migrations (
  version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())`;

/**
 * Returns the SQL that records a migration as applied, in two tables. The SQL creates the second table if it is
 * missing, because earlier versions of the package do not have that table.
 */
export const createMigrationRecordSql = (schema: string, migration: QueueMigrationFile): string =>
  `INSERT INTO ${schema}.migrations (version, name, checksum)
VALUES (${migration.version}, '${migration.name}', '${migration.checksum}');
${createOldestReleasesTableSql(schema)};
${createOldestReleaseStorageSql(schema, migration)}`;
