import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { QueueConnection, QueuePool } from './database.js';

const FOLDER = new URL('../sql/', import.meta.url);

/** Key of the advisory lock under which migrations run: ten processes may start at once. */
const LOCK_KEY = 72_707_370;

/** The tables in the database and the files of this package disagree. The message says what to do. */
export class QueueMigrationError extends Error {
  override readonly name = 'QueueMigrationError';
}

interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{3}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), 'utf8');
      return { version: Number(name.slice(0, 3)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Creates or brings up to date the tables of this package, in schema `queue` with a version table of its own. Each
 * file runs in one transaction; a second call does nothing. Safe to call from many processes at once.
 *
 * @returns the names of the files that were applied now
 * @throws QueueMigrationError when an applied file was edited since, or is unknown to this version of the package
 */
export async function applyQueueMigrations(pool: QueuePool): Promise<{ applied: string[] }> {
  const migrations = await readMigrations();
  const connection = await pool.connect();
  let broken = true;
  try {
    await connection.query('SELECT pg_advisory_lock($1::bigint)', [LOCK_KEY]);
    const applied = await applyMissing(connection, migrations);
    await connection.query('SELECT pg_advisory_unlock($1::bigint)', [LOCK_KEY]);
    broken = false;
    return { applied };
  } finally {
    // Closing the connection is what frees the lock when anything failed.
    connection.release(broken);
  }
}

async function applyMissing(connection: QueueConnection, migrations: Migration[]): Promise<string[]> {
  await connection.query('CREATE SCHEMA IF NOT EXISTS queue');
  await connection.query(
    `CREATE TABLE IF NOT EXISTS queue.migrations (
       version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const { rows } = await connection.query<{ version: number; name: string; checksum: string }>(
    'SELECT version, name, checksum FROM queue.migrations ORDER BY version',
  );
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of rows) {
    const file = known.get(row.version);
    if (!file) {
      throw new QueueMigrationError(
        `The database has queue migration ${row.name}, which this version of the package does not know: deploy the newer version.`,
      );
    }
    if (file.checksum !== row.checksum) {
      throw new QueueMigrationError(
        `Queue migration ${file.name} was edited after it was applied: restore the file and put the change into a new one.`,
      );
    }
  }
  const done = new Set(rows.map((row) => row.version));
  const missing = migrations.filter((migration) => !done.has(migration.version));
  for (const migration of missing) await applyOne(connection, migration);
  return missing.map((migration) => migration.name);
}

async function applyOne(connection: QueueConnection, migration: Migration): Promise<void> {
  await connection.query('BEGIN');
  await connection.query(migration.sql);
  await connection.query('INSERT INTO queue.migrations (version, name, checksum) VALUES ($1, $2, $3)', [
    migration.version,
    migration.name,
    migration.checksum,
  ]);
  await connection.query('COMMIT');
}
