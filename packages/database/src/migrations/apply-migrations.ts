import pg, { type Client } from 'pg';
import {
  connectOrCreateDatabase,
  openMigrationConnection,
  requireServerVersion,
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
  type ReleaseVersions,
  storeOldestRelease,
} from './oldest-releases.js';
import { getMigrationRecoveryAdvice, planMigrations } from './plan-migrations.js';
import { type Migration, readMigrations } from './read-migrations.js';

/** Options of {@link applyMigrations}. */
export interface MigrationOptions {
  /** URL of the database. The role in the URL needs the right to create tables. */
  readonly url: string;
  /** Folder of the migrations in Prisma's layout: `migration_lock.toml` and `<name>/migration.sql`. */
  readonly folder: string;
  /** Called with a line of text for each step of the migration that takes time. */
  readonly log: (line: string) => void;
  /** Maximum time to wait for another process that migrates, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
  /** Oldest supported major version of PostgreSQL. An older server is rejected before any change. */
  readonly minimumServerVersion?: number;
  /**
   * False if a missing database is an error instead of being created. A wrong address, or a server that has lost its
   * data, then does not look like a new installation. Default true.
   */
  readonly createsDatabase?: boolean;
  /**
   * The running release. With it, the database stores the oldest release that runs against the result of each
   * migration. A database with unknown migrations is accepted if this release is not older than any of theirs.
   */
  readonly release?: ReleaseVersions | undefined;
}

/** Options that all steps of {@link applyMigrations} need. */
interface MigrationRunContext extends Pick<MigrationOptions, 'log' | 'release'> {
  readonly migrations: readonly Migration[];
}

/**
 * SQLSTATEs of a statement that cannot run in a transaction: CREATE INDEX CONCURRENTLY, or a DO block that commits its
 * batches. Such a statement must be the only one in its migration file.
 */
const nonTransactionalSqlStates = new Set<unknown>(['25001', '2D000']);

/**
 * Sends a migration as one query, which PostgreSQL runs as one transaction, together with the statement that records
 * its completion. If this process dies, either both or neither are committed.
 */
async function runMigrationInTransaction(client: Client, { sql }: Migration, id: string): Promise<void> {
  const finish = createMigrationCompletionSql(id);
  try {
    await client.query(`${removeTimeLimitsSql};\n${sql}\n;\n${finish}`);
  } catch (error) {
    if (!(error instanceof Error) || !nonTransactionalSqlStates.has(Reflect.get(error, 'code'))) throw error;
    await runMigrationOutsideTransaction(client, [sql, finish]);
  }
}

/** Runs the statements of a migration that cannot run in a transaction, one after the other, without time limits. */
async function runMigrationOutsideTransaction(client: Client, statements: readonly string[]): Promise<void> {
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  for (const statement of statements) await client.query(statement);
  // Behind a pooler, another client may get this server connection next.
  await client.query('RESET statement_timeout; RESET lock_timeout');
}

/** Returns the names of the indexes that a migration creates CONCURRENTLY. */
function listConcurrentIndexes({ sql }: Migration): string[] {
  return [...sql.matchAll(/^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"?(\w+)"?/gm)].map(
    ([, name = '']) => name,
  );
}

/**
 * Prepares a migration that was left unfinished by a process that died, so that it can run again. An index created
 * CONCURRENTLY may exist, valid or not, and is dropped; all other statements were rolled back or can be repeated. If
 * the server still runs such a statement, the drop waits for it.
 */
async function prepareRepeatedMigration(client: Client, migration: Migration): Promise<void> {
  const drops = listConcurrentIndexes(migration).map(
    (index) => `DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(index)}`,
  );
  if (drops.length > 0) await runMigrationOutsideTransaction(client, drops);
}

async function applyMigration(
  client: Client,
  migration: Migration,
  { log, release }: MigrationRunContext,
): Promise<void> {
  const { name } = migration;
  if (release !== undefined) await storeOldestRelease(client, migration, release);
  const { id, isRepeated } = await recordMigrationStart(client, migration);
  if (isRepeated) log(`Retrying migration ${name}, which was interrupted`);
  try {
    if (isRepeated) await prepareRepeatedMigration(client, migration);
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
 * Returns true if no migration is pending. Also returns false if applied migrations and files do not match, because
 * only a check under the lock is reliable.
 */
async function isDatabaseUpToDate(client: Client, { migrations, release }: MigrationRunContext): Promise<boolean> {
  try {
    const recorded = await readRecordedMigrations(client, migrations);
    return planMigrations(migrations, recorded, release).length === 0;
  } catch (error) {
    if (error instanceof MigrationError) return false;
    throw error;
  }
}

/** Applies pending migrations on the connection `client`, while the transaction of `lock` has the migration lock. */
async function applyPendingMigrations(client: Client, lock: Client, run: MigrationRunContext): Promise<string[]> {
  const { migrations, log, release } = run;
  // The history is read under the lock, because a migration that another process is running looks interrupted.
  const pending = planMigrations(migrations, await readRecordedMigrations(client, migrations), release);
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
 * Applies all pending migrations to a database. Many processes may call this concurrently: one of them works and the
 * others wait. Interchangeable with `prisma migrate deploy`: both use the same table, checksums and lock. If nothing is
 * pending, the function takes no lock and needs no right to create objects. Time limits of the role or the database do
 * not apply to migrations.
 *
 * @returns the names of the migrations applied by this call, in order
 * @throws MigrationError when a migration fails, the server is too old, another process has the lock for too long, or
 *   database and folder do not match
 */
export async function applyMigrations(options: MigrationOptions): Promise<{ applied: string[] }> {
  const { url, folder, log, lockTimeoutMs: timeoutMs = 60_000, minimumServerVersion, release } = options;
  const { createsDatabase = true } = options;
  const run: MigrationRunContext = { migrations: await readMigrations(folder), log, release };
  const client = await connectOrCreateDatabase(url, { log, minimumServerVersion, createsDatabase });
  try {
    await requireServerVersion(client, minimumServerVersion);
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
