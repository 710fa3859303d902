import { fileURLToPath } from 'node:url';
import { applyMigrations, MigrationError, PoolerError, requirePreparedStatements } from '@switchboard/database';
import { UnreachableError } from '@switchboard/platform';
import { applyQueueMigrations, QueueMigrationError } from '@switchboard/queue';
import pg from 'pg';

/** Plain SQL in Prisma's layout, beside the apps of the workspace. */
export const migrationsFolder = fileURLToPath(new URL('../../../prisma/inventory/migrations', import.meta.url));

/** Oldest PostgreSQL that the migrations run on. */
const minimumServerVersion = 15;

/**
 * Brings a database up to date, whether or not it exists; safe in many processes at once.
 *
 * @param lockTimeoutMs longest time to wait for another process that is migrating, in milliseconds
 * @throws MigrationError, QueueMigrationError or PoolerError, whose messages say what to do
 */
export async function migrate(url: string, log: (line: string) => void, lockTimeoutMs = 60_000): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log, lockTimeoutMs, minimumServerVersion });
  await requirePreparedStatements(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await applyQueueMigrations(pool, { lockTimeoutMs });
  } finally {
    await pool.end();
  }
}

const operatorFaults = [MigrationError, QueueMigrationError, PoolerError, UnreachableError];

/** True for errors of a start whose message says all that the operator needs. */
export function isOperatorFault(error: unknown): error is Error {
  return operatorFaults.some((fault) => error instanceof fault);
}
