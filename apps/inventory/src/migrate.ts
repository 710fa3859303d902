import { fileURLToPath } from 'node:url';
import { applyMigrations, MigrationError, PoolerError, requirePreparedStatements } from '@switchboard/database';
import { release, UnreachableError } from '@switchboard/platform';
import { applyQueueMigrations, QueueMigrationError } from '@switchboard/queue';
import pg from 'pg';

/** Folder of plain SQL migrations in Prisma's layout. */
export const migrationsFolder = fileURLToPath(new URL('../../../prisma/inventory/migrations', import.meta.url));

/** Oldest supported major version of PostgreSQL. */
const minimumServerVersion = 15;

/** Error for a missing database right. Its message says how to grant it. */
export class MissingRightError extends Error {
  override readonly name = 'MissingRightError';
}

/**
 * Checks that the database account may create temporary tables, which large deletions need.
 *
 * @throws MissingRightError
 */
async function requireTemporaryTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ isAllowed: boolean; grant: string }>(
    `SELECT has_database_privilege(current_database(), 'TEMPORARY') AS "isAllowed",
       format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), current_user) AS "grant"`,
  );
  const [right] = rows;
  if (right === undefined || right.isAllowed) return;
  throw new MissingRightError(
    `The database role may not create temporary tables, which large deletions need. As the owner of the database, run: ${right.grant}`,
  );
}

/**
 * Migrates a database, creating it if necessary. Safe in concurrent processes.
 *
 * @param lockTimeoutMs maximum time to wait for another process that migrates, in milliseconds
 * @throws MigrationError, QueueMigrationError, PoolerError or MissingRightError, whose messages say what to do
 */
export async function migrate(url: string, log: (line: string) => void, lockTimeoutMs = 60_000): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log, lockTimeoutMs, minimumServerVersion, release });
  await requirePreparedStatements(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await requireTemporaryTables(pool);
    await applyQueueMigrations(pool, { lockTimeoutMs });
  } finally {
    await pool.end();
  }
}

const operatorFaults = [MigrationError, QueueMigrationError, PoolerError, MissingRightError, UnreachableError];

/** Returns true for startup errors whose message suffices for the operator, without a stack trace. */
export function isOperatorFault(error: unknown): error is Error {
  return operatorFaults.some((fault) => error instanceof fault);
}
