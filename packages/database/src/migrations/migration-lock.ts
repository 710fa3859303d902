import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { removeTimeLimitsSql } from './connect-for-migrations.js';
import { MigrationError } from './migration-error.js';

/**
 * Id of the advisory lock that Prisma's migration engine takes. This package takes the same lock, so that Prisma and
 * this package never apply migrations concurrently.
 */
const prismaMigrationLockId = 72_707_369;
const migrationLockPollIntervalMs = 100;

/** The database session that has the migration lock, with data from `pg_stat_activity`. */
interface MigrationLockHolder {
  readonly pid: number;
  readonly name: string | null;
  /**
   * Seconds since the session with the migration lock started its transaction, or since the session's start without a
   * transaction. Null if the database role has no right to read the time.
   */
  readonly seconds: number | null;
}

/**
 * SQL statement that finds the session that has the migration lock. In `pg_locks`, classid contains the upper half of
 * the lock's bigint, and objid the lower half.
 */
const findMigrationLockHolderSql = `
  SELECT l.pid, a.application_name AS name, extract(epoch FROM now() - coalesce(a.xact_start, a.backend_start))::int AS seconds
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function describeMigrationLockHolder(client: Client): Promise<string> {
  const { rows } = await client.query<MigrationLockHolder>(findMigrationLockHolderSql, [prismaMigrationLockId]);
  const [holder] = rows;
  if (holder === undefined) return 'The session that had the lock has just ended: start again.';
  const { pid, name, seconds } = holder;
  const age = seconds === null ? 'of unknown age' : `open for ${seconds} s`;
  return (
    `The lock belongs to process ${pid} (application "${name ?? ''}", ${age}). If that process is not running migrations, ` +
    `end it with SELECT pg_terminate_backend(${pid}) and start again.`
  );
}

/**
 * Begins a transaction and tries to acquire the migration lock. If the lock is not free, ends the transaction and
 * returns false.
 */
async function tryAcquireMigrationLock(client: Client): Promise<boolean> {
  await client.query('BEGIN');
  await client.query(removeTimeLimitsSql);
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    prismaMigrationLockId,
  ]);
  if (rows[0]?.taken === true) return true;
  await client.query('ROLLBACK');
  return false;
}

/**
 * Acquires the migration lock in a separate transaction, which has the lock as long as its connection is open. Unlike a
 * session lock, this lock is released when its client disconnects, even behind a connection pooler. The function tries
 * repeatedly instead of waiting in one statement. A waiting statement would have a database snapshot, and CREATE INDEX
 * CONCURRENTLY in another process would wait for that snapshot.
 *
 * @param timeoutMs maximum time to wait for another process, in milliseconds
 * @throws MigrationError (`locked`) whose message names the session that has the lock
 */
export async function acquireMigrationLock(
  client: Client,
  { timeoutMs, log }: { timeoutMs: number; log: (line: string) => void },
): Promise<void> {
  const started = performance.now();
  for (let polls = 0; !(await tryAcquireMigrationLock(client)); polls += 1) {
    if (polls === 0) log('Waiting for another process that runs migrations');
    if (performance.now() - started >= timeoutMs) {
      const waited = `Waited ${Math.round(timeoutMs / 1000)} s for the migration lock.`;
      throw new MigrationError('locked', '', `${waited} ${await describeMigrationLockHolder(client)}`);
    }
    await delay(migrationLockPollIntervalMs);
  }
}
