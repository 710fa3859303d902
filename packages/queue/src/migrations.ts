import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { QueueConnection, QueuePool } from './database.js';
import { beginLocked, describeHolder } from './migration-lock.js';

const MIGRATIONS_FOLDER = new URL('../sql/', import.meta.url);

/**
 * Error for tables in the database that do not match the migration files of this package. The message says what to do.
 */
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
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d{3}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS_FOLDER), 'utf8');
      return { version: Number(name.slice(0, 3)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

interface AppliedRow {
  version: number;
  name: string;
  checksum: string;
}

/** Options of {@link applyQueueMigrations}. */
export interface QueueMigrationOptions {
  /** Maximum time to wait for another process that migrates, in milliseconds. Default 60,000. */
  lockTimeoutMs?: number;
}

/**
 * Migrates the tables of this package in schema `queue`, which has a separate version table. Missing files run in one
 * transaction; a second call has no effect. May be called from many processes concurrently, also through a pooler. With
 * nothing pending it takes no lock and needs no right to create objects.
 *
 * @returns the names of the files applied now
 * @throws QueueMigrationError when an applied file was edited since, is unknown to this version of the package, or
 * another session has the migration lock for too long
 */
export async function applyQueueMigrations(
  pool: QueuePool,
  { lockTimeoutMs = 60_000 }: QueueMigrationOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations();
  const connection = await pool.connect();
  let broken = true;
  try {
    const isPending = (await findMissing(connection, migrations)).length > 0;
    const applied = isPending ? await applyMissing(connection, migrations, lockTimeoutMs) : [];
    broken = false;
    return { applied };
  } finally {
    // If anything failed, closing the connection ends its transaction.
    connection.release(broken);
  }
}

async function applyMissing(
  connection: QueueConnection,
  migrations: readonly Migration[],
  lockTimeoutMs: number,
): Promise<string[]> {
  if (!(await beginLocked(connection, lockTimeoutMs))) {
    const waited = `Waited ${Math.round(lockTimeoutMs / 1000)} s for the lock of the queue migrations.`;
    throw new QueueMigrationError(`${waited} ${await describeHolder(connection)}`);
  }
  // Another process may have applied them meanwhile.
  const missing = await findMissing(connection, migrations);
  if (missing.length > 0 && missing.length === migrations.length) await createVersionTable(connection);
  for (const { version, name, checksum, sql } of missing) {
    await connection.query(sql);
    await connection.query('INSERT INTO queue.migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
  }
  await connection.query('COMMIT');
  return missing.map(({ name }) => name);
}

async function createVersionTable(connection: QueueConnection): Promise<void> {
  await connection.query('CREATE SCHEMA IF NOT EXISTS queue');
  await connection.query(
    `CREATE TABLE IF NOT EXISTS queue.migrations (
       version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now())`,
  );
}

async function listApplied(connection: QueueConnection): Promise<AppliedRow[]> {
  // Not to_regclass(): within a transaction it may use a cache entry older than the commit of the process whose lock
  // this one waited for. A scan of the catalog finds every committed table.
  const { rows } = await connection.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'queue' AND tablename = 'migrations') AS exists`,
  );
  if (rows[0]?.exists !== true) return [];
  const applied = await connection.query<AppliedRow>(
    'SELECT version, name, checksum FROM queue.migrations ORDER BY version',
  );
  return applied.rows;
}

/**
 * Returns the migrations that are not applied yet, in order.
 *
 * @throws QueueMigrationError when the applied files do not match
 */
async function findMissing(connection: QueueConnection, migrations: readonly Migration[]): Promise<Migration[]> {
  const rows = await listApplied(connection);
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
  return migrations.filter((migration) => !done.has(migration.version));
}
