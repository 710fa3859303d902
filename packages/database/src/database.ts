import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isRetryable } from '@switchboard/errors';
import type { Pool } from 'pg';
import { createPool, type PoolOptions } from './pool.js';
import { type Ending, type IsolationLevel, Transaction } from './transaction.js';
import { CommitUnknownError, NestedTransactionError } from './transaction-errors.js';
import { type OpenTx, type QueryOutcome, runStatement, type Statement, type Tx } from './tx.js';

/** How to reach a database, and what joins every transaction. */
export interface DatabaseOptions extends PoolOptions {
  /**
   * Runs last in every transaction: the outbox writes its rows here. What it sends before it first waits is all it may
   * send, and shares a round trip with COMMIT. Its errors roll back, unless it throws one of its own when it has sent
   * something: that is a `CommitUnknownError`.
   */
  readonly beforeCommit?: (tx: Tx, ending: Ending) => Promise<void>;
  /** Runs after a COMMIT that the server confirmed, outside the transaction. Its errors are logged, not thrown. */
  readonly afterCommit?: (tx: Tx) => void;
}

/** How one transaction runs. */
export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: IsolationLevel;
  /** Default false. */
  readonly readOnly?: boolean;
  /** How often the function may run in all when it loses to other transactions. Default 4. */
  readonly attempts?: number;
}

/** One PostgreSQL database: a pool, statements of their own, transactions. */
export interface Database extends Tx {
  /** The pool; `new PrismaPg(database.pool)` shares it with Prisma. Its connections log slow queries too. */
  readonly pool: Pool;
  /**
   * Runs `run` in a transaction and commits. On a deadlock or a serialization failure all of `run` is run again in
   * a new transaction, after a short random wait: `run` must have no effects outside the transaction.
   *
   * @throws whatever `run` throws, after a rollback.
   * @throws NestedTransactionError when called inside `run` of this database.
   * @throws TransactionAbortedError when `run` swallowed the error of a statement.
   * @throws CommitUnknownError when something failed and it may be committed: see there.
   */
  inTransaction<T>(run: (tx: OpenTx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Asks the server for a sign of life. @throws what the connection throws when there is none. */
  ping(): Promise<void>;
  /** Closes the pool when all connections have come back to it. */
  close(): Promise<void>;
}

/** Opens a database. Connections are made when first needed; nothing is thrown here for a server that is away. */
export function createDatabase(options: DatabaseOptions): Database {
  return new PooledDatabase(createPool(options), options);
}

const firstBackoffMs = 20;

/** Full jitter: rivals that met once should not meet again. */
function backoffMs(attempt: number): number {
  return Math.random() * firstBackoffMs * 2 ** attempt;
}

class PooledDatabase implements Database {
  private readonly current = new AsyncLocalStorage<Transaction>();
  /** Functions of transactions that run now. */
  private running = 0;

  constructor(
    readonly pool: Pool,
    private readonly options: DatabaseOptions,
  ) {}

  query<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    return runStatement<R>(this.pool, sql, params);
  }

  async inTransaction<T>(run: (tx: OpenTx) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    // Work that a transaction started and that outlives it still carries its context, hence the second question.
    if (this.current.getStore()?.isOpen) throw new NestedTransactionError();
    const { attempts = 4 } = options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(run, options);
      } catch (error) {
        if (attempt >= attempts || error instanceof CommitUnknownError || !isRetryable(error)) throw error;
        const requestId = this.options.requestId?.();
        this.options.logger.warn(
          { err: error, attempt, requestId },
          'Transaction lost to another one; running it again',
        );
      }
      await delay(backoffMs(attempt));
    }
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async attempt<T>(run: (tx: OpenTx) => Promise<T>, options: TransactionOptions): Promise<T> {
    const client = await this.pool.connect();
    const { isolation = 'read committed', readOnly = false } = options;
    const { beforeCommit } = this.options;
    const tx = new Transaction(client, { isolation, readOnly, beforeCommit });
    let broken: Error | undefined;
    let result: T;
    try {
      result = await this.inContext(tx, run);
      await tx.end();
    } catch (error) {
      broken = await tx.rollback();
      throw tx.told(error);
    } finally {
      // A connection given back with an error is closed instead of used again.
      client.release(broken);
    }
    this.announce(tx);
    return result;
  }

  /**
   * Marks what `run` does as being inside `tx`. Before Node 24 a storage that is in use has each promise and each tick of
   * the process take part, which was measured to make a small service's answers 3 to 8 % slower: it is not in use longer
   * than it has to be.
   */
  private async inContext<T>(tx: Transaction, run: (tx: OpenTx) => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await this.current.run(tx, () => run(tx));
    } finally {
      this.running -= 1;
      if (this.running === 0) this.current.disable();
    }
  }

  /** The commit stands whatever happens here, so the caller must not see an error. */
  private announce(tx: Transaction): void {
    try {
      this.options.afterCommit?.(tx);
    } catch (error) {
      this.options.logger.error({ err: error }, 'After a commit, its follow-up failed');
    }
  }
}
