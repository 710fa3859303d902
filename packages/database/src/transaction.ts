import type { PoolClient } from 'pg';
import { translateDatabaseError } from '@switchboard/errors';
import { inOneWrite } from './one-write.js';
import { CommitUnknownError, TransactionAbortedError, TransactionClosedError } from './transaction-errors.js';
import { type QueryOutcome, runStatement, type Statement, type Tx } from './tx.js';

/** What one transaction sees of others. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/**
 * One BEGIN ... COMMIT on one connection. It ends once, and refuses statements afterwards. BEGIN leaves with the first
 * statement and COMMIT with the last, so that neither costs a round trip.
 */
export class Transaction implements Tx {
  private open = true;
  private sent = 0;
  private failure: unknown;
  private begun: Promise<unknown> | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly isolation: IsolationLevel,
    private readonly readOnly: boolean,
  ) {}

  /** Whether statements may still be run. */
  get isOpen(): boolean {
    return this.open;
  }

  async query<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    if (!this.open) throw new TransactionClosedError();
    this.sent += 1;
    try {
      if (this.begun !== undefined) return await runStatement<R>(this.client, sql, params);
      return await this.first<R>(sql, params);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  /**
   * Runs `last` and commits. When `last` has sent a statement by the time it first waits, that is its only one, and
   * COMMIT follows without waiting for the answer: should the statement fail, PostgreSQL answers COMMIT with a
   * rollback. Otherwise COMMIT waits for all of `last`.
   *
   * @throws what `last` throws; nothing is committed then.
   * @throws TransactionClosedError when `last` sends more than the one statement that COMMIT has followed.
   * @throws TransactionAbortedError when a failed statement was swallowed; PostgreSQL answers such a COMMIT with
   * a rollback and no error.
   * @throws CommitUnknownError when the connection was lost meanwhile.
   * @throws pg's DatabaseError when the server refused: a deferred constraint, a serialization failure.
   */
  async end(last: (tx: Tx) => Promise<void> = async () => {}): Promise<void> {
    const before = this.sent;
    const flight = inOneWrite(this.client, () => {
      const lastWords = last(this);
      return { lastWords, commit: this.sent === before ? undefined : this.commit() };
    });
    if (flight.commit === undefined) await flight.lastWords;
    const [spoken, committed] = await Promise.allSettled([flight.lastWords, flight.commit ?? this.commit()]);
    // Both fail when the connection is lost: the server may then have done both.
    const unknown = committed.status === 'rejected' && committed.reason instanceof CommitUnknownError;
    if (spoken.status === 'rejected' && !(unknown && !wasRefused(spoken.reason))) throw spoken.reason;
    if (committed.status === 'rejected') throw committed.reason;
  }

  /** BEGIN and the first statement. */
  private async first<R>(sql: string | Statement, params: unknown[] | undefined): Promise<QueryOutcome<R>> {
    const begin = `BEGIN ISOLATION LEVEL ${this.isolation.toUpperCase()}${this.readOnly ? ' READ ONLY' : ''}`;
    const [begun, outcome] = inOneWrite(this.client, () => [
      (this.begun = this.client.query(begin)),
      runStatement<R>(this.client, sql, params),
    ]);
    const [beginning, first] = await Promise.allSettled([begun, outcome]);
    // A server that takes a statement and has refused BEGIN before it has committed that statement by itself.
    if (beginning.status === 'rejected' && first.status === 'fulfilled') throw new CommitUnknownError(beginning.reason);
    if (first.status === 'rejected') throw first.reason;
    return first.value;
  }

  private async commit(): Promise<void> {
    this.open = false;
    if (this.begun === undefined) return;
    let command: string;
    try {
      ({ command } = await this.client.query('COMMIT'));
    } catch (error) {
      throw wasRefused(error) ? error : new CommitUnknownError(error);
    }
    if (command !== 'COMMIT') throw new TransactionAbortedError(this.failure);
  }

  /** Rolls back. Returns the error when even that failed: the connection is then good for nothing. */
  async rollback(): Promise<Error | undefined> {
    this.open = false;
    if (this.begun === undefined) return undefined;
    try {
      await this.client.query('ROLLBACK');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/**
 * Whether the server itself said that it did not commit. A shutdown (57P01) proves nothing: it may be announced
 * after the commit was written.
 */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof Error) || typeof Reflect.get(error, 'severity') !== 'string') return false;
  return translateDatabaseError(error)?.kind !== 'unavailable';
}
