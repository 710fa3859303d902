import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A migration file, for one schema. */
export interface Migration {
  version: number;
  name: string;
  /** SQL for the schema of the caller. */
  sql: string;
  /** Checksum of the file, which is the same for all schemas. */
  checksum: string;
}

/**
 * Reads the migration files of a folder in order. They contain the default name of the schema, which is replaced.
 *
 * @param schema SQL identifier of the schema
 */
export async function readMigrations(
  { folder, defaultSchema }: { readonly folder: URL; readonly defaultSchema: string },
  schema: string,
): Promise<Migration[]> {
  const schemaPattern = new RegExp(`\\b${defaultSchema}\\.`, 'g');
  const names = (await readdir(folder)).filter((name) => /^\d{3}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(file).digest('hex');
      const sql = file.replaceAll(schemaPattern, `${schema}.`);
      return { version: Number(name.slice(0, 3)), name, sql, checksum };
    }),
  );
}

/** Returns the SQL that creates the schema and its version table. */
export const createVersionTableSql = (schema: string): string =>
  `CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.migrations (
  version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())`;

/** Returns the SQL that records a migration as applied. */
export const recordSql = (schema: string, { version, name, checksum }: Migration): string =>
  `INSERT INTO ${schema}.migrations (version, name, checksum) VALUES (${version}, '${name}', '${checksum}')`;
