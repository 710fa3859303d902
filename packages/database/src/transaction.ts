import type { PoolClient } from 'pg';
import { translateDatabaseError } from '@switchboard/errors';
import { CommitUnknownError, TransactionAbortedError, TransactionClosedError } from './transaction-errors.js';
import { type QueryOutcome, runStatement, type Statement, type Tx } from './tx.js';

/** What one transaction sees of others. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

/** One BEGIN ... COMMIT on one connection. It ends once, and refuses statements afterwards. */
export class Transaction implements Tx {
  private open = true;
  private failure: unknown;

  constructor(private readonly client: PoolClient) {}

  /** Whether statements may still be run. */
  get isOpen(): boolean {
    return this.open;
  }

  async query<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    if (!this.open) throw new TransactionClosedError();
    try {
      return await runStatement<R>(this.client, sql, params);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  /** Begins, in one statement whatever the options. */
  async begin(isolation: IsolationLevel, readOnly: boolean): Promise<void> {
    await this.client.query(`BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${readOnly ? ' READ ONLY' : ''}`);
  }

  /**
   * Commits.
   *
   * @throws TransactionAbortedError when a failed statement was swallowed; PostgreSQL answers such a COMMIT with
   * a rollback and no error.
   * @throws CommitUnknownError when the connection was lost meanwhile.
   * @throws pg's DatabaseError when the server refused: a deferred constraint, a serialization failure.
   */
  async commit(): Promise<void> {
    this.open = false;
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
