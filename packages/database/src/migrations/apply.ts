import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectOrCreate } from './connect.js';
import { createHistory, finishStatement, readHistory, recordFailure, recordStart } from './history.js';
import { MigrationError } from './migration-error.js';
import { failureAdvice, planMigrations } from './plan.js';
import { type Migration, readMigrations } from './read-migrations.js';

/** What to migrate. */
export interface MigrationOptions {
  /** The database, created when missing; its role needs the right to create tables. */
  readonly url: string;
  /** A folder in Prisma's layout: `migration_lock.toml` and `<name>/migration.sql`. */
  readonly folder: string;
  /** Receives a line for each step that takes time. */
  readonly log: (line: string) => void;
}

/** The lock that Prisma's own engine takes, so that the two never migrate at once. */
const prismaLockId = 72_707_369;
const lockPollMs = 100;

/** SQLSTATE of a statement that refuses to run beside others, such as CREATE INDEX CONCURRENTLY. */
const mustRunAlone = '25001';

/**
 * Takes the lock by asking again and again. A waiting `pg_advisory_lock` would hold a snapshot, for which
 * CREATE INDEX CONCURRENTLY in the process that has the lock waits in turn.
 */
async function lock(client: Client, log: (line: string) => void): Promise<void> {
  for (let polls = 0; ; polls += 1) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [prismaLockId]);
    if (rows[0]?.taken) return;
    if (polls === 0) log('Waiting for another process that is migrating');
    await delay(lockPollMs);
  }
}

/**
 * Sends the migration as one query, which PostgreSQL runs as one transaction, and with it the statement that
 * records its end: a process that dies here leaves both or neither.
 */
async function runMigration(client: Client, { sql }: Migration, id: string): Promise<void> {
  const finish = finishStatement(id);
  try {
    await client.query(`${sql}\n;\n${finish}`);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== mustRunAlone) throw error;
    await client.query(sql);
    await client.query(finish);
  }
}

async function applyOne(client: Client, migration: Migration): Promise<void> {
  const { name } = migration;
  const id = await recordStart(client, migration);
  try {
    await runMigration(client, migration, id);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await keepReason(client, id, `Migration ${name} failed: ${reason}`);
    throw new MigrationError('failed', name, `Migration ${name} failed: ${reason}. ${failureAdvice(name)}`, { cause });
  }
}

/** The reason in the log is a courtesy: without it, the row that was begun and not finished still tells enough. */
async function keepReason(client: Client, id: string, logs: string): Promise<void> {
  try {
    // A migration with its own BEGIN leaves a failed transaction open, in which nothing can be recorded.
    await client.query('ROLLBACK');
    await recordFailure(client, id, logs);
  } catch {
    // The connection is gone, which the error that is thrown next says already.
  }
}

/**
 * Brings a database up to date. Any number of processes may call this at once; one of them works, the others wait.
 * Interchangeable with `prisma migrate deploy`: same table, same checksums, same lock.
 *
 * @returns the names of the migrations that this call applied, in order.
 * @throws MigrationError when a migration fails, or disk and database do not fit together.
 */
export async function applyMigrations({ url, folder, log }: MigrationOptions): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder);
  const client = await connectOrCreate(url, log);
  try {
    // Read under the lock only: a migration that another process has under way looks like a failed one.
    await lock(client, log);
    await createHistory(client);
    const pending = planMigrations(migrations, await readHistory(client));
    for (const migration of pending) {
      const started = performance.now();
      await applyOne(client, migration);
      log(`Applied migration ${migration.name} (${Math.round(performance.now() - started)} ms)`);
    }
    return { applied: pending.map(({ name }) => name) };
  } finally {
    // The lock belongs to the session and ends with it.
    await client.end();
  }
}
