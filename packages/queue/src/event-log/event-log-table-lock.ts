import { setTimeout as sleep } from 'node:timers/promises';
import { EventEmitter } from 'node:events';
import type { QueueConnection } from '../database.js';
import { formatErrorText, processClock } from '../environment.js';
import { EventLogInUseError, EventLogUnavailableError } from './event-log-errors.js';
import type { EventLogTables } from './number-log-rows.js';
import { waitAtMost } from '../wait-at-most.js';

/** First key of the advisory lock. The second key identifies the tables of the schema. The number is arbitrary. */
const TABLE_LOCK_KEY = 72707372;

/**
 * SQL that makes PostgreSQL end the session with the lock about 25 s after its host was lost. By the default of most
 * systems this takes two hours.
 */
const SHORTEN_KEEPALIVE_SQL = `SELECT set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`;

/** Process ID of the session that has the advisory lock with the keys $1 and $2. */
const FIND_LOCK_HOLDER_SQL = `SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND classid = $1::int::oid AND objid = $2::regclass::oid AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Time for which a process that has lost its session waits for the lock, in milliseconds. PostgreSQL may still be ending
 * the lost session.
 */
const WAIT_AFTER_LOSS_MS = 1_000;

/** Interval between two attempts to get the lock while another process has it, in milliseconds. */
const LOCK_ATTEMPT_INTERVAL_MS = 100;

/**
 * Maximum time for which a release waits for the end of an attempt, in milliseconds. The pool may wait for a server that
 * does not respond.
 */
const RELEASE_LIMIT_MS = 1_000;

/** A connection of a pool. After `unref`, which `pg` has, its socket does not keep the process alive. */
interface ClosableConnection extends QueueConnection {
  unref?(): void;
}

/**
 * Lock of one process on the tables of an event log. The lock is an advisory lock of a database session. PostgreSQL
 * releases the lock when the process dies, and about 25 s after the host or the network of the process has failed. The
 * session is a connection of the pool that remains in use.
 */
export class EventLogTableLock {
  private connection: QueueConnection | null = null;
  private attempt: Promise<void> | null = null;
  /** Connection of the running attempt. */
  private attempted: QueueConnection | null = null;
  private isReleased = false;
  /** Error of the last attempt if another process had locked the tables. */
  private refusal: EventLogInUseError | null = null;
  /** Removes the listeners from the newest connection. */
  private stopListening: () => void = () => {};

  /** @param onLocked called each time this process has locked the tables */
  constructor(
    private readonly tables: EventLogTables,
    private readonly onLocked: () => void,
  ) {}

  /**
   * Locks the tables for this process, or does nothing if the process has the lock. Concurrent calls share one attempt.
   *
   * @param waitMs time to wait for another process that has locked the tables, in milliseconds
   * @throws EventLogInUseError if another process has locked the tables
   * @throws EventLogUnavailableError if the database does not respond
   */
  lock(waitMs = 0): Promise<void> {
    if (this.connection !== null) return Promise.resolve();
    if (this.isReleased) return Promise.reject(createStoppedError());
    this.attempt ??= this.connectAndLock(waitMs).finally(() => (this.attempt = null));
    return this.attempt;
  }

  /**
   * Locks the tables like {@link lock}. Repeats failed attempts for `timeoutMs` milliseconds, and then rejects even if an
   * attempt takes longer.
   *
   * @throws EventLogInUseError if another process has locked the tables
   * @throws EventLogUnavailableError if the database does not respond
   */
  async lockWithin(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      if (this.refusal !== null) throw this.refusal;
      throw new EventLogUnavailableError(`PostgreSQL, lock: no response within ${timeoutMs} ms`);
    });
    try {
      await Promise.race([this.repeatLock(performance.now() + timeoutMs), timeout]);
    } finally {
      timer.abort();
    }
  }

  /**
   * Checks that the session with the lock still exists, and locks the tables again otherwise. Only an open session has
   * the lock. The pool must find the lock too: after a failover, the session may be one of the former primary.
   *
   * @throws EventLogInUseError if another process has locked the tables
   * @throws EventLogUnavailableError if the database does not respond
   */
  async confirm(): Promise<void> {
    const { connection } = this;
    if (connection === null) return this.lock();
    if (!(await this.hasLock(connection))) await this.lock(WAIT_AFTER_LOSS_MS);
  }

  /**
   * Closes the connection, so that PostgreSQL releases the lock. Sends no statement: a stop would wait for its response
   * while the network is interrupted. Closes the connection of a running attempt too, which ends the attempt. If the
   * pool provides a connection later, the attempt closes that connection.
   */
  async release(): Promise<void> {
    this.isReleased = true;
    const { connection } = this;
    this.connection = null;
    if (connection !== null) {
      this.stopListening();
      closeConnection(connection);
    }
    this.closeAttemptedConnection();
    if (this.attempt !== null) await waitAtMost(RELEASE_LIMIT_MS, this.attempt, processClock);
  }

  private get keys(): unknown[] {
    return [TABLE_LOCK_KEY, `${this.tables.schema}.event_log_state`];
  }

  private async connectAndLock(waitMs: number): Promise<void> {
    try {
      const connection = await this.tables.pool.connect();
      this.attempted = connection;
      this.stopListening = this.listenForLoss(connection);
      this.assertNotReleased();
      this.refusal = await this.tryLock(connection, waitMs);
      this.assertNotReleased();
      if (this.refusal === null) {
        await connection.query(SHORTEN_KEEPALIVE_SQL);
        this.assertNotReleased();
        this.connection = connection;
      } else {
        this.stopListening();
        connection.release();
      }
      this.attempted = null;
    } catch (error) {
      this.closeAttemptedConnection();
      if (error instanceof EventLogUnavailableError) throw error;
      throw new EventLogUnavailableError(`PostgreSQL, lock: ${formatErrorText(error)}`, { cause: error });
    }
    if (this.refusal !== null) throw this.refusal;
    this.onLocked();
  }

  private assertNotReleased(): void {
    if (this.isReleased) throw createStoppedError();
  }

  private closeAttemptedConnection(): void {
    const { attempted } = this;
    if (attempted === null) return;
    this.attempted = null;
    this.stopListening();
    closeConnection(attempted);
  }

  /**
   * Listens for the loss of a connection. Without a listener, the loss of a connection that the pool has lent would end
   * the process. Returns a function that stops listening, for a connection that returns to the pool.
   */
  private listenForLoss(connection: QueueConnection): () => void {
    if (!(connection instanceof EventEmitter)) return () => {};
    const listener = (error: unknown): void => this.handleLoss(connection, error);
    connection.on('error', listener).on('end', listener);
    return () => void connection.off('error', listener).off('end', listener);
  }

  /** Repeats {@link lock} until the tables are locked or the time `end` has come. */
  private async repeatLock(end: number): Promise<void> {
    for (;;) {
      try {
        return await this.lock(Math.max(0, end - performance.now()));
      } catch (error) {
        if (this.isReleased || performance.now() >= end) throw error;
        await sleep(LOCK_ATTEMPT_INTERVAL_MS);
      }
    }
  }

  /** Returns true if the pool finds the lock of the connection's session. Otherwise discards the connection. */
  private async hasLock(connection: QueueConnection): Promise<boolean> {
    let pid: number | undefined;
    try {
      pid = (await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    } catch (error) {
      this.handleLoss(connection, error);
      return false;
    }
    try {
      if ((await this.findHolder(this.tables.pool)) === pid) return true;
    } catch (error) {
      throw new EventLogUnavailableError(`PostgreSQL, lock: ${formatErrorText(error)}`, { cause: error });
    }
    this.handleLoss(connection, null);
    return false;
  }

  private async findHolder(connection: Pick<QueueConnection, 'query'>): Promise<number | null> {
    const { rows } = await connection.query<{ pid: number }>(FIND_LOCK_HOLDER_SQL, this.keys);
    return rows[0]?.pid ?? null;
  }

  /** Returns null if the session has the lock, and an error if another session has it after the time to wait. */
  private async tryLock(connection: QueueConnection, waitMs: number): Promise<EventLogInUseError | null> {
    const end = performance.now() + waitMs;
    for (;;) {
      const { rows } = await connection.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1, $2::regclass::oid::int) AS taken',
        this.keys,
      );
      if (rows[0]?.taken === true) return null;
      this.refusal = new EventLogInUseError(this.tables.schema, await this.findHolder(connection));
      if (this.isReleased || performance.now() >= end) return this.refusal;
      await sleep(LOCK_ATTEMPT_INTERVAL_MS);
    }
  }

  private handleLoss(connection: QueueConnection, error: unknown): void {
    if (this.connection !== connection) return;
    this.connection = null;
    closeConnection(connection, error);
  }
}

const createStoppedError = (): EventLogUnavailableError => new EventLogUnavailableError('the event log is stopped');

/**
 * Closes a connection of a pool. The socket waits for the server until the network is restored, but does not keep the
 * process alive.
 */
function closeConnection(connection: ClosableConnection, error: unknown = null): void {
  connection.unref?.();
  connection.release(error instanceof Error ? error : true);
}
