import { PreparedStatements } from '../prepared-names.js';
import type { ConnectionTicket } from './ticket.js';

/** Tracks the statements of one connection, and the ticket of the work that uses the connection. */
export class ConnectionActivity {
  readonly prepared = new PreparedStatements();
  #ticket: ConnectionTicket | undefined;
  #running = 0;
  #since = 0;

  /** Admission ticket of the work that uses the connection; undefined while the connection is idle. */
  get ticket(): ConnectionTicket | undefined {
    return this.#ticket;
  }

  /**
   * Records the admission ticket of the work that gets the connection; undefined when the connection returns to its
   * pool.
   */
  assign(ticket: ConnectionTicket | undefined): void {
    this.#ticket = ticket;
    this.#running = 0;
  }

  /**
   * Records that a statement was sent on the connection.
   *
   * @param now milliseconds of `performance.now()`
   */
  began(now: number): void {
    if (this.#running === 0) this.#since = now;
    this.#running += 1;
  }

  /**
   * Records that a statement on the connection has ended. If another statement was sent after it, the other statement
   * counts as running from now on.
   */
  recordEnd(now: number): void {
    this.#running = Math.max(0, this.#running - 1);
    this.#since = now;
  }

  /** Returns the duration of the connection's running statement in milliseconds; 0 without one. */
  runningMs(now: number): number {
    return this.#running === 0 ? 0 : now - this.#since;
  }
}
