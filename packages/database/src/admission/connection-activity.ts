import { ConnectionPreparedStatements } from '../prepared-statement-names.js';
import type { ConnectionTicket } from './connection-ticket.js';

/** Tracks the statements of one connection, and the ticket of the work that uses the connection. */
export class ConnectionActivity {
  readonly preparedStatements = new ConnectionPreparedStatements();
  /** True if the connection must be closed instead of being used again. */
  mustBeReplaced = false;
  /** True if a later connection led to another primary, so that the server of this one may be lost. */
  leadsToFormerPrimary = false;
  /** True if the server accepted only reads when the connection was opened. */
  isOpenedReadOnly = false;
  /**
   * Time limit that the current work has set for its statements, in milliseconds. Undefined means the limit of the
   * pool.
   */
  statementLimitMs: number | undefined;
  #ticket: ConnectionTicket | undefined;
  #runningCount = 0;
  #runningSinceMs = 0;

  /** Admission ticket of the work that uses the connection; undefined while the connection is idle. */
  get ticket(): ConnectionTicket | undefined {
    return this.#ticket;
  }

  /**
   * Records the admission ticket of the work that gets the connection; undefined when the connection returns to its
   * pool.
   */
  setTicket(ticket: ConnectionTicket | undefined): void {
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
   * Records that a statement on the connection has ended. If another statement was sent after it, the other statement
   * counts as running from now on.
   */
  recordStatementEnd(now: number): void {
    this.#runningCount = Math.max(0, this.#runningCount - 1);
    this.#runningSinceMs = now;
  }

  /** True while a statement is running on the connection. */
  get isStatementRunning(): boolean {
    return this.#runningCount > 0;
  }

  /** Returns the duration of the connection's running statement in milliseconds; 0 without one. */
  statementDurationMs(now: number): number {
    return this.#runningCount === 0 ? 0 : now - this.#runningSinceMs;
  }
}
