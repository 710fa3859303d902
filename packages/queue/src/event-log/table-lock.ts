import { setTimeout as sleep } from 'node:timers/promises';
import { EventEmitter } from 'node:events';
import type { QueueConnection } from '../database.js';
import { formatErrorText } from '../environment.js';
import { EventLogInUseError, EventLogUnavailableError } from './event-log-errors.js';
import type { EventLogTables } from './number-log-rows.js';

/** First key of the advisory lock. The second key identifies the tables of the schema. The number is arbitrary. */
const TABLE_LOCK_KEY = 72707372;

/** Interval between two attempts to get the lock while another process has it, in milliseconds. */
const LOCK_ATTEMPT_INTERVAL_MS = 100;

/**
 * Lock of one process on the tables of an event log. It is an advisory lock of a database session, so that PostgreSQL
 * releases it when the process dies. The session is a connection of the pool that remains in use.
 */
export class EventLogTableLock {
  private connection: QueueConnection | null = null;
  private attempt: Promise<void> | null = null;
  private isReleased = false;
  /** True if another process had locked the tables at the last attempt. */
  private isTaken = false;
  /** Removes the listeners from the newest connection. */
  private stopListening: () => void = () => {};

  /** @param onLocked called each time this process has locked the tables */
  constructor(
    private readonly tables: EventLogTables,
    private readonly onLocked: () => void,
  ) {}

  /**
   * Locks the tables for this process, or does nothing if it has locked them. Concurrent calls share one attempt.
   *
   * @param waitMs time to wait for another process that has locked the tables, in milliseconds
   * @throws EventLogInUseError if another process has locked the tables
   * @throws EventLogUnavailableError if the database does not respond
   */
  lock(waitMs = 0): Promise<void> {
    if (this.connection !== null) return Promise.resolve();
    if (this.isReleased) return Promise.reject(new EventLogUnavailableError('the event log is stopped'));
    this.attempt ??= this.connectAndLock(waitMs).finally(() => (this.attempt = null));
    return this.attempt;
  }

  /**
   * Locks the tables like {@link lock}, but rejects after `timeoutMs` milliseconds even if an attempt takes longer.
   *
   * @throws EventLogInUseError if another process has locked the tables
   * @throws EventLogUnavailableError if the database does not respond
   */
  async lockWithin(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      if (this.isTaken) throw new EventLogInUseError(this.tables.schema);
      throw new EventLogUnavailableError(`PostgreSQL, lock: no response within ${timeoutMs} ms`);
    });
    try {
      await Promise.race([this.lock(timeoutMs), timeout]);
    } finally {
      timer.abort();
    }
  }

  /**
   * Checks that the session with the lock still exists, and locks the tables again otherwise. Only an open session has
   * the lock.
   */
  async confirm(): Promise<void> {
    const { connection } = this;
    if (connection !== null) {
      await connection.query('SELECT 1').catch((error: unknown) => this.handleLoss(connection, error));
    }
    await this.lock();
  }

  /** Unlocks the tables and returns the connection to the pool. */
  async release(): Promise<void> {
    this.isReleased = true;
    await this.attempt?.catch(() => {});
    const { connection } = this;
    if (connection === null) return;
    this.connection = null;
    this.stopListening();
    try {
      await connection.query('SELECT pg_advisory_unlock($1, $2::regclass::oid::int)', this.keys);
      connection.release();
    } catch {
      connection.release(true);
    }
  }

  private get keys(): unknown[] {
    return [TABLE_LOCK_KEY, `${this.tables.schema}.event_log_state`];
  }

  private async connectAndLock(waitMs: number): Promise<void> {
    const { pool, schema } = this.tables;
    let connection: QueueConnection | null = null;
    try {
      connection = await pool.connect();
      this.stopListening = this.listenForLoss(connection);
      if (!(await this.tryLock(connection, waitMs))) {
        this.stopListening();
        connection.release();
        throw new EventLogInUseError(schema);
      }
    } catch (error) {
      if (error instanceof EventLogInUseError) throw error;
      connection?.release(true);
      throw new EventLogUnavailableError(`PostgreSQL, lock: ${formatErrorText(error)}`, { cause: error });
    }
    this.connection = connection;
    this.onLocked();
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

  private async tryLock(connection: QueueConnection, waitMs: number): Promise<boolean> {
    const end = performance.now() + waitMs;
    for (;;) {
      const { rows } = await connection.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1, $2::regclass::oid::int) AS taken',
        this.keys,
      );
      this.isTaken = rows[0]?.taken !== true;
      if (!this.isTaken) return true;
      if (this.isReleased || performance.now() >= end) return false;
      await sleep(LOCK_ATTEMPT_INTERVAL_MS);
    }
  }

  private handleLoss(connection: QueueConnection, error: unknown): void {
    if (this.connection !== connection) return;
    this.connection = null;
    connection.release(error instanceof Error ? error : true);
  }
}
