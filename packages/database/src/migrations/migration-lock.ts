import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { removeTimeLimitsSql } from './connect-for-migrations.js';
import { MigrationError } from './migration-error.js';

/**
 * Id of the advisory lock that Prisma's migration engine takes. This package takes the same lock, so that both never
 * migrate concurrently.
 */
const prismaLockId = 72_707_369;
const lockPollIntervalMs = 100;

/** The database session that has the migration lock, as shown in `pg_stat_activity`. */
interface MigrationLockHolder {
  readonly pid: number;
  readonly name: string | null;
  /**
   * Seconds since the start of the session's transaction, or of the session if it has no transaction. Null if the role
   * may not see the time.
   */
  readonly seconds: number | null;
}

/**
 * SQL statement that finds the session that has the migration lock. For a lock on a bigint, classid is its upper half
 * and objid its lower half.
 */
const findLockHolderSql = `
  SELECT l.pid, a.application_name AS name, extract(epoch FROM now() - coalesce(a.xact_start, a.backend_start))::int AS seconds
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function describeLockHolder(client: Client): Promise<string> {
  const { rows } = await client.query<MigrationLockHolder>(findLockHolderSql, [prismaLockId]);
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
    prismaLockId,
  ]);
  if (rows[0]?.taken === true) return true;
  await client.query('ROLLBACK');
  return false;
}

/**
 * Acquires the migration lock in a separate transaction, which has the lock as long as its connection is open. Unlike a
 * lock of the session, this lock is released with its client even behind a pooler. The function polls, because a
 * waiting statement would have a snapshot for which CREATE INDEX CONCURRENTLY of the lock's owner would wait.
 *
 * @param timeoutMs maximum time to wait for another process, in milliseconds
 * @throws MigrationError (`locked`) naming the session that has the lock
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
      throw new MigrationError('locked', '', `${waited} ${await describeLockHolder(client)}`);
    }
    await delay(lockPollIntervalMs);
  }
}
