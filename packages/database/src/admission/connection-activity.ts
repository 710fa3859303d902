import { ConnectionPreparedStatements } from '../prepared-statement-names.js';
import type { DatabaseConnectionPermit } from './connection-ticket.js';

/**
 * Tracks the statements of one database connection. Also contains the ticket (permission to use the connection) of the
 * work that uses the connection.
 */
export class DatabaseConnectionActivity {
  readonly preparedStatements = new ConnectionPreparedStatements();
  /** True if the database connection must be closed when its current use ends, instead of being used again. */
  mustBeReplaced = false;
  /** True if a later connection led to another primary server. The server of this connection may therefore be lost. */
  leadsToFormerPrimary = false;
  /** True if the server accepted only reads when this database connection was opened. */
  isOpenedReadOnly = false;
  /**
   * Time limit that the current user of the connection has set for its statements, in milliseconds. Undefined if the
   * default limit of the pool applies.
   */
  statementLimitMs: number | undefined;
  #ticket: DatabaseConnectionPermit | undefined;
  #runningCount = 0;
  #runningSinceMs = 0;

  /** Ticket (permission) of the work that uses the connection; undefined while the connection is idle. */
  get connectionTicket(): DatabaseConnectionPermit | undefined {
    return this.#ticket;
  }

  /**
   * Records the ticket (permission) of the work that gets the connection. The ticket is undefined when the connection
   * returns to its pool.
   */
  setConnectionTicket(ticket: DatabaseConnectionPermit | undefined): void {
    this.#ticket = ticket;
    this.#runningCount = 0;
    this.statementLimitMs = undefined;
  }

  /**
   * Records that a statement was sent on the connection.
   *
   * @param now milliseconds of `performance.now()`
   */
  recordStatementStart(now: number): void {
    if (this.#runningCount === 0) this.#runningSinceMs = now;
    this.#runningCount += 1;
  }

  /**
   * Records that a statement on the connection has ended. If another statement is already sent, the measured duration
   * of that statement starts now.
   */
  recordStatementEnd(now: number): void {
    this.#runningCount = Math.max(0, this.#runningCount - 1);
    this.#runningSinceMs = now;
  }

  /** True while a statement is running on the database connection. */
  get isStatementRunning(): boolean {
    return this.#runningCount > 0;
  }

  /** Returns the duration of the connection's running statement in milliseconds; 0 if no statement is running. */
  getRunningStatementDurationMs(now: number): number {
    return this.#runningCount === 0 ? 0 : now - this.#runningSinceMs;
  }
}
