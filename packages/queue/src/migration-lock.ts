import { setTimeout as delay } from 'node:timers/promises';
import type { QueueConnection } from './database.js';

/**
 * Key of the PostgreSQL advisory lock for migrations. Several processes may migrate concurrently, and the lock admits
 * one at a time.
 */
const MIGRATION_LOCK_KEY = 72_707_370;
const MIGRATION_LOCK_POLL_MS = 100;

/**
 * SQL that disables the time limits set by the role, the database or the URL, because these time limits must not apply
 * to migrations.
 */
const REMOVE_STATEMENT_TIME_LIMITS_SQL = `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;

/**
 * SQL that finds the session that has the migration lock. For a lock on a bigint key, classid is the upper half of the
 * key and objid the lower half.
 */
const FIND_MIGRATION_LOCK_HOLDER_SQL = `
  SELECT l.pid, a.application_name AS name, extract(epoch FROM now() - coalesce(a.xact_start, a.backend_start))::int AS seconds
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = ${MIGRATION_LOCK_KEY} AND l.objsubid = 1
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Database session that has the migration lock. `seconds` is the age of its transaction in seconds, or null if the
 * database role may not see that age.
 */
interface MigrationLockHolder {
  pid: number;
  name: string | null;
  seconds: number | null;
}

/**
 * Begins a transaction and waits for the migration lock. The lock ends with the transaction, even with a connection
 * pooler.
 *
 * @returns false, without a transaction, when another session had the lock for `timeoutMs`
 */
export async function beginTransactionWithMigrationLock(
  connection: QueueConnection,
  timeoutMs: number,
): Promise<boolean> {
  const started = performance.now();
  for (;;) {
    await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await connection.query(REMOVE_STATEMENT_TIME_LIMITS_SQL);
    const { rows } = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1::bigint) AS taken',
      [MIGRATION_LOCK_KEY],
    );
    if (rows[0]?.taken === true) return true;
    await connection.query('ROLLBACK');
    if (performance.now() - started >= timeoutMs) return false;
    await delay(MIGRATION_LOCK_POLL_MS);
  }
}

/** Describes the database session that has the migration lock, with instructions for ending the session. */
export async function describeMigrationLockHolder(connection: QueueConnection): Promise<string> {
  const { rows } = await connection.query<MigrationLockHolder>(FIND_MIGRATION_LOCK_HOLDER_SQL);
  const [holder] = rows;
  if (holder === undefined) return 'The session that had it has just ended: start again.';
  const { pid, name, seconds } = holder;
  const age = seconds === null ? 'of unknown age' : `open for ${seconds} s`;
  return (
    `It belongs to process ${pid} (application "${name ?? ''}", ${age}). If that process migrates nothing, ` +
    `end it with SELECT pg_terminate_backend(${pid}) and start again.`
  );
}
