import { fileURLToPath } from 'node:url';
import { applyMigrations, MigrationError, PoolerError, requirePreparedStatements } from '@switchboard/database';
import { UnreachableError } from '@switchboard/platform';
import { applyQueueMigrations, QueueMigrationError } from '@switchboard/queue';
import pg from 'pg';

/** Plain SQL in Prisma's layout, beside the apps of the workspace. */
export const migrationsFolder = fileURLToPath(new URL('../../../prisma/inventory/migrations', import.meta.url));

/** Oldest PostgreSQL that the migrations run on. */
const minimumServerVersion = 15;

/** A missing database right. The message says how to grant it. */
export class MissingRightError extends Error {
  override readonly name = 'MissingRightError';
}

/** Large deletions are planned in temporary tables. @throws MissingRightError when the role may create none */
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
 * Migrates a database, creating it if necessary; safe in concurrent processes.
 * @param lockTimeoutMs longest time to wait for another process that is migrating, in milliseconds
 * @throws MigrationError, QueueMigrationError, PoolerError or MissingRightError, whose messages say what to do
 */
export async function migrate(url: string, log: (line: string) => void, lockTimeoutMs = 60_000): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log, lockTimeoutMs, minimumServerVersion });
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

/** Returns true for startup errors whose message suffices for the operator. */
export function isOperatorFault(error: unknown): error is Error {
  return operatorFaults.some((fault) => error instanceof fault);
}
