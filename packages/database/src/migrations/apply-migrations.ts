import pg, { type Client } from 'pg';
import {
  connectOrCreateDatabase,
  openMigrationConnection,
  requireMinimumServerVersion,
  removeTimeLimitsSql,
} from './connect-for-migrations.js';
import {
  createMigrationTable,
  createMigrationCompletionSql,
  recordMigrationFailure,
  recordMigrationStart,
} from './migration-history.js';
import { acquireMigrationLock } from './migration-lock.js';
import { MigrationError } from './migration-error.js';
import {
  createOldestReleaseTable,
  readRecordedMigrations,
  type CurrentAndPreviousRelease,
  storeOldestReleaseForMigration,
} from './oldest-compatible-releases.js';
import { getMigrationRecoveryAdvice, determineMigrationsToApply } from './plan-migrations.js';
import { type DatabaseMigration, readMigrationsFromFolder } from './read-migrations.js';

/** Options of {@link applyMigrations}, which opens one connection without a pool. */
export interface ApplyMigrationsOptions {
  /** URL of the database. The role in the URL needs the right to create tables. */
  readonly url: string;
  /** Folder of the migrations in Prisma's layout: `migration_lock.toml` and `<name>/migration.sql`. */
  readonly folder: string;
  /** Callback that is called with a line of text for each slow step of the migrations. */
  readonly log: (line: string) => void;
  /** Maximum time to wait for another process that applies migrations, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
  /** Oldest supported major version of PostgreSQL. The function rejects an older server before any change. */
  readonly minimumServerVersion?: number;
  /**
   * False if a missing database is an error instead of being created. With false, a wrong address or a server without
   * its data does not look like a new installation. Default true.
   */
  readonly createsDatabase?: boolean;
  /**
   * Version of the running release. If defined, the database stores for each migration the oldest release that can use
   * the migrated database. A database with unknown migrations is accepted if the running release is not older than the
   * oldest releases of these migrations.
   */
  readonly release?: CurrentAndPreviousRelease | undefined;
}

/** Options of a run of {@link applyMigrations} that all its steps need. */
interface MigrationRunContext extends Pick<ApplyMigrationsOptions, 'log' | 'release'> {
  readonly migrations: readonly DatabaseMigration[];
}

/**
 * SQLSTATEs of the errors for a statement that cannot run in a transaction, such as CREATE INDEX CONCURRENTLY. Another
 * example is a DO block that commits batches. Such a statement must be the only statement in its migration file.
 */
const nonTransactionalSqlStates = new Set<unknown>(['25001', '2D000']);

/**
 * Runs a migration in one transaction, together with the statement that records its completion. Both are sent as one
 * query. If this process dies, PostgreSQL commits either both or neither.
 */
async function runMigrationInTransaction(client: Client, { sql }: DatabaseMigration, id: string): Promise<void> {
  const finish = createMigrationCompletionSql(id);
  try {
    await client.query(`${removeTimeLimitsSql};\n${sql}\n;\n${finish}`);
  } catch (error) {
    if (!(error instanceof Error) || !nonTransactionalSqlStates.has(Reflect.get(error, 'code'))) throw error;
    await runMigrationOutsideTransaction(client, [sql, finish]);
  }
}

/**
 * Runs the statements of a migration that cannot run in a transaction, one after the other, without statement time
 * limits.
 */
async function runMigrationOutsideTransaction(client: Client, statements: readonly string[]): Promise<void> {
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  for (const statement of statements) await client.query(statement);
  // Behind a pooler, another client may get this server connection next.
  await client.query('RESET statement_timeout; RESET lock_timeout');
}

/** Returns the names of the indexes that a migration creates CONCURRENTLY. */
function listConcurrentlyCreatedIndexes({ sql }: DatabaseMigration): string[] {
  return [...sql.matchAll(/^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"?(\w+)"?/gm)].map(
    ([, name = '']) => name,
  );
}

/**
 * Prepares a migration that was left unfinished by a process that died, so that it can run again. Drops an index that
 * the migration has created CONCURRENTLY, whether or not the index is valid. All other statements were rolled back or
 * can be repeated. If the server is still creating the index, the drop waits for the end of the creation.
 */
async function prepareUnfinishedMigrationForRerun(client: Client, migration: DatabaseMigration): Promise<void> {
  const drops = listConcurrentlyCreatedIndexes(migration).map(
    (index) => `DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(index)}`,
  );
  if (drops.length > 0) await runMigrationOutsideTransaction(client, drops);
}

async function applyMigration(
  client: Client,
  migration: DatabaseMigration,
  { log, release }: MigrationRunContext,
): Promise<void> {
  const { name } = migration;
  if (release !== undefined) await storeOldestReleaseForMigration(client, migration, release);
  const { id, isRepeated } = await recordMigrationStart(client, migration);
  if (isRepeated) log(`Retrying migration ${name}, which was interrupted`);
  try {
    if (isRepeated) await prepareUnfinishedMigrationForRerun(client, migration);
    await runMigrationInTransaction(client, migration, id);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await recordMigrationFailureReason(client, id, `Migration ${name} failed: ${reason}`);
    throw new MigrationError(
      'failed',
      name,
      `Migration ${name} failed: ${reason}. ${getMigrationRecoveryAdvice(name)}`,
      { cause },
    );
  }
}

/**
 * Stores the error of a failed migration in the migration table. Without this record the migration would count as
 * interrupted and run again.
 */
async function recordMigrationFailureReason(client: Client, id: string, logs: string): Promise<void> {
  try {
    // A migration with its own BEGIN leaves a failed transaction open, in which nothing can be recorded.
    await client.query('ROLLBACK');
    await recordMigrationFailure(client, id, logs);
  } catch {
    // The connection is lost; the error thrown next already reports it.
  }
}

/**
 * Returns true if no migration is pending for the database. Also returns false if applied migrations and files do not
 * match, because this check is reliable only with the migration lock.
 */
async function isDatabaseUpToDate(client: Client, { migrations, release }: MigrationRunContext): Promise<boolean> {
  try {
    const recorded = await readRecordedMigrations(client, migrations);
    return determineMigrationsToApply(migrations, recorded, release).length === 0;
  } catch (error) {
    if (error instanceof MigrationError) return false;
    throw error;
  }
}

/** Applies pending migrations on the connection `client`, while the transaction of `lock` has the migration lock. */
async function applyPendingMigrations(client: Client, lock: Client, run: MigrationRunContext): Promise<string[]> {
  const { migrations, log, release } = run;
  // The history is read under the lock, because a migration that another process is running looks interrupted.
  const pending = determineMigrationsToApply(migrations, await readRecordedMigrations(client, migrations), release);
  if (pending.length > 0) {
    await createMigrationTable(client);
    if (release !== undefined) await createOldestReleaseTable(client);
  }
  for (const migration of pending) {
    // If its connection is lost, the lock is lost too, and another process may be migrating.
    await lock.query('SELECT 1');
    const started = performance.now();
    await applyMigration(client, migration, run);
    log(`Applied migration ${migration.name} (${Math.round(performance.now() - started)} ms)`);
  }
  return pending.map(({ name }) => name);
}

/**
 * Applies all pending migrations to a database. Many processes may call this function concurrently: one process applies
 * the migrations while the others wait. The function is interchangeable with `prisma migrate deploy`, because both use
 * the same table, checksums and lock. If nothing is pending, the function takes no lock and needs no right to create
 * objects. Time limits of the role or the database do not apply to migrations.
 *
 * @returns the names of the migrations applied by this call, in order
 * @throws MigrationError if a migration fails, if the server is too old, or if database and folder do not match. Also
 *   if another process has the migration lock for too long
 */
export async function applyMigrations(options: ApplyMigrationsOptions): Promise<{ applied: string[] }> {
  const { url, folder, log, lockTimeoutMs: timeoutMs = 60_000, minimumServerVersion, release } = options;
  const { createsDatabase = true } = options;
  const run: MigrationRunContext = { migrations: await readMigrationsFromFolder(folder), log, release };
  const client = await connectOrCreateDatabase(url, { log, minimumServerVersion, createsDatabase });
  try {
    await requireMinimumServerVersion(client, minimumServerVersion);
    if (await isDatabaseUpToDate(client, run)) return { applied: [] };
    // The lock has a separate connection: it belongs to a transaction, and some migrations must run outside of one.
    const lock = await openMigrationConnection(url);
    try {
      await acquireMigrationLock(lock, { timeoutMs, log });
      return { applied: await applyPendingMigrations(client, lock, run) };
    } finally {
      await lock.end();
    }
  } finally {
    await client.end();
  }
}
