import { fileURLToPath } from 'node:url';
import {
  applyMigrations,
  createDatabase,
  MigrationError,
  PoolerError,
  requirePreparedStatements,
} from '@switchboard/database';
import { release, UnreachableError } from '@switchboard/platform';
import { applyQueueMigrations, QueueMigrationError } from '@switchboard/queue';

/** Oldest supported major version of PostgreSQL: one migration uses the collation `pg_c_utf8`. */
const minimumServerVersion = 17;

/** Folder of this service's migrations, found from the sources as well as from the build. */
const migrationsFolder = fileURLToPath(new URL('../../../prisma/chat/migrations', import.meta.url));

/**
 * Migrates a database to this version, including the tables of the queue package. Concurrent processes wait for each
 * other, and later ones find nothing to do.
 * @param lockTimeoutMs maximum time to wait for another process that is migrating, in milliseconds
 * @throws MigrationError, QueueMigrationError or PoolerError, whose messages state the remedy
 */
export async function migrate(url: string, log: (line: string) => void, lockTimeoutMs = 60_000): Promise<void> {
  await applyMigrations({ url, folder: migrationsFolder, log, lockTimeoutMs, minimumServerVersion, release });
  await requirePreparedStatements(url);
  const quiet = { warn: () => {}, error: () => {} };
  const database = createDatabase({
    url,
    max: 1,
    applicationName: 'switchboard-chat-migrate',
    logger: quiet,
    slowQueryMs: 60_000,
  });
  try {
    await applyQueueMigrations(database.pool, { lockTimeoutMs });
  } finally {
    await database.close();
  }
}

const operatorErrors = [MigrationError, QueueMigrationError, PoolerError, UnreachableError];

/** Returns true for errors at the start whose message suffices for the operator. */
export function isOperatorError(error: unknown): error is Error {
  return operatorErrors.some((fault) => error instanceof fault);
}
