import pg, { type Client } from 'pg';
import { connectOrCreate, openForMigrations, requireServerVersion, withoutTimeLimits } from './connect.js';
import { createHistory, endInterrupted, finishStatement, readHistory, recordFailure, recordStart } from './history.js';
import { takeMigrationLock } from './lock.js';
import { MigrationError } from './migration-error.js';
import { failureAdvice, planMigrations } from './plan.js';
import { type Migration, readMigrations } from './read-migrations.js';

/** Options of a migration run. */
export interface MigrationOptions {
  /** The database, created when missing; its role needs the right to create tables. */
  readonly url: string;
  /** A folder in Prisma's layout: `migration_lock.toml` and `<name>/migration.sql`. */
  readonly folder: string;
  /** Receives a line for each step that takes time. */
  readonly log: (line: string) => void;
  /** Longest time to wait for another process that is migrating, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
  /** Oldest major version of PostgreSQL that the migrations run on. An older server is refused before anything is changed. */
  readonly minimumServerVersion?: number;
}

/**
 * SQLSTATEs of a statement that refuses to run in a transaction: CREATE INDEX CONCURRENTLY, and a DO block that commits
 * its batches. A migration of one such statement is its own file.
 */
const mustRunAlone = new Set<unknown>(['25001', '2D000']);

/**
 * Sends the migration as one query, which PostgreSQL runs as one transaction, and with it the statement that
 * records its end: a process that dies here leaves both or neither.
 */
async function runMigration(client: Client, { sql }: Migration, id: string): Promise<void> {
  const finish = finishStatement(id);
  try {
    await client.query(`${withoutTimeLimits};\n${sql}\n;\n${finish}`);
  } catch (error) {
    if (!(error instanceof Error) || !mustRunAlone.has(Reflect.get(error, 'code'))) throw error;
    await runAlone(client, [sql, finish]);
  }
}

/** Runs statements that refuse to run in a transaction, one after the other, without time limits. */
async function runAlone(client: Client, statements: readonly string[]): Promise<void> {
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  for (const statement of statements) await client.query(statement);
  // Behind a pooler this may be a connection of others.
  await client.query('RESET statement_timeout; RESET lock_timeout');
}

/** Names of indexes that a migration creates CONCURRENTLY. */
function concurrentIndexes({ sql }: Migration): string[] {
  return [...sql.matchAll(/^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"?(\w+)"?/gm)].map(
    ([, name = '']) => name,
  );
}

/**
 * Prepares a migration of a died process to run again. An index created CONCURRENTLY exists, valid or not, and is
 * dropped; everything else was rolled back or continues. If the server still runs the statement, dropping waits for it.
 */
async function prepareAgain(client: Client, migration: Migration): Promise<void> {
  const drops = concurrentIndexes(migration).map(
    (index) => `DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(index)}`,
  );
  if (drops.length > 0) await runAlone(client, drops);
}

async function applyOne(client: Client, migration: Migration, log: (line: string) => void): Promise<void> {
  const { name } = migration;
  const isAgain = await endInterrupted(client, name);
  if (isAgain) log(`Migration ${name} was interrupted and runs again`);
  const id = await recordStart(client, migration);
  try {
    if (isAgain) await prepareAgain(client, migration);
    await runMigration(client, migration, id);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await keepReason(client, id, `Migration ${name} failed: ${reason}`);
    throw new MigrationError('failed', name, `Migration ${name} failed: ${reason}. ${failureAdvice(name)}`, { cause });
  }
}

/** Without its reason a migration is taken for an interrupted one, and runs again. */
async function keepReason(client: Client, id: string, logs: string): Promise<void> {
  try {
    // A migration with its own BEGIN leaves a failed transaction open, in which nothing can be recorded.
    await client.query('ROLLBACK');
    await recordFailure(client, id, logs);
  } catch {
    // The connection is gone, which the error that is thrown next says already.
  }
}

/** True if nothing is pending. False also where the two do not fit together, which is certain only under the lock. */
async function isUpToDate(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  try {
    return planMigrations(migrations, await readHistory(client)).length === 0;
  } catch (error) {
    if (error instanceof MigrationError) return false;
    throw error;
  }
}

/** Applies what is pending on `client`, while the transaction of `lock` has the migration lock. */
async function applyPending(
  client: Client,
  lock: Client,
  { migrations, log }: { migrations: readonly Migration[]; log: (line: string) => void },
): Promise<string[]> {
  // Read under the lock only: a migration that another process has under way looks like an interrupted one.
  const pending = planMigrations(migrations, await readHistory(client));
  if (pending.length > 0) await createHistory(client);
  for (const migration of pending) {
    // A lost connection has lost the lock: another process may be migrating.
    await lock.query('SELECT 1');
    const started = performance.now();
    await applyOne(client, migration, log);
    log(`Applied migration ${migration.name} (${Math.round(performance.now() - started)} ms)`);
  }
  return pending.map(({ name }) => name);
}

/**
 * Brings a database up to date. Any number of processes may call this at once; one of them works, the others wait.
 * Interchangeable with `prisma migrate deploy`: same table, same checksums, same lock. With nothing pending it takes no
 * lock and needs no right to create anything. Time limits of the role or the database do not apply to migrations.
 *
 * @returns the names of the migrations that this call applied, in order.
 * @throws MigrationError when a migration fails, the server is too old, another process has the lock for too long, or
 * disk and database do not fit together.
 */
export async function applyMigrations(options: MigrationOptions): Promise<{ applied: string[] }> {
  const { url, folder, log, lockTimeoutMs: timeoutMs = 60_000, minimumServerVersion } = options;
  const migrations = await readMigrations(folder);
  const client = await connectOrCreate(url, { log, minimumServerVersion });
  try {
    await requireServerVersion(client, minimumServerVersion);
    if (await isUpToDate(client, migrations)) return { applied: [] };
    // Some migrations must run outside a transaction, and the lock belongs to one: it has a connection of its own.
    const lock = await openForMigrations(url);
    try {
      await takeMigrationLock(lock, { timeoutMs, log });
      return { applied: await applyPending(client, lock, { migrations, log }) };
    } finally {
      await lock.end();
    }
  } finally {
    await client.end();
  }
}
