import { setTimeout as delay } from 'node:timers/promises';
import { isRetryable } from '@switchboard/errors';
import type { Pool, PoolClient } from 'pg';
import { PoolFigures } from './admission/pool-figures.js';
import { serviceWork, snapshotWork, type Workload } from './admission/workload.js';
import { setWorkOf, type Work } from './background-work.js';
import { StatementCancel } from './cancellation.js';
import { type ClientDisconnect, ClientDisconnectedError, onlyReads } from './client-disconnect.js';
import type { ConnectionRequest, ContextPool } from './context-pool.js';
import { createPool, type PoolOptions } from './pool.js';
import type { OpenPrisma, PrismaReads } from './prisma/client-types.js';
import { PrismaAccess } from './prisma/prisma-access.js';
import { RunningTransactions } from './running-transactions.js';
import { type Ending, type IsolationLevel, Transaction } from './transaction.js';
import { CommitUnknownError, NestedTransactionError } from './transaction-errors.js';
import {
  type OpenTx,
  type Queryable,
  type QueryOutcome,
  runStatement,
  type Statement,
  toStatement,
  type Tx,
} from './tx.js';

/** Options of a database: its connection, and callbacks of every transaction. */
export interface DatabaseOptions<Client = unknown> extends PoolOptions {
  /**
   * Runs last in every transaction: the outbox writes its rows here. What it sends before it first waits is all it may
   * send, and shares a round trip with COMMIT. Its errors roll back, unless it throws one of its own when it has sent
   * something: that is a `CommitUnknownError`.
   */
  readonly beforeCommit?: (tx: OpenTx, ending: Ending) => Promise<void>;
  /**
   * The disconnect of the client for which the calling code runs, if any. It cancels the running statements and
   * transactions of the request; not a single statement that may write, nor a transaction whose COMMIT has left.
   */
  readonly disconnect?: () => ClientDisconnect | undefined;
  /** Runs after a COMMIT that the server confirmed, outside the transaction. Its errors are logged, not thrown. */
  readonly afterCommit?: (tx: OpenTx) => void;
  /** Makes the Prisma client of this database, when it is first used. Default: there is none. */
  readonly prisma?: OpenPrisma<Client>;
}

/** Options of one transaction. */
export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: IsolationLevel;
  /** Default false. */
  readonly readOnly?: boolean;
  /** Most runs of the function when it conflicts with other transactions. Default 4. */
  readonly attempts?: number;
}

/** The part of a pool that `Outbox` and `EventLog` of `@switchboard/queue` use. */
export interface ServicePool extends Queryable {
  connect(): Promise<PoolClient>;
}

/**
 * One PostgreSQL database: a pool, statements of their own, transactions. `Client` is what the generated Prisma client
 * hands to a transaction. {@link Tx.prisma} of a database only reads.
 */
export interface Database<Client = unknown> extends Tx<PrismaReads<Client>> {
  /** The pool. Its connections log slow queries, whoever uses them. */
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
  inTransaction<T>(run: (tx: OpenTx<Client>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs `run` once in a repeatable read transaction whose result several requests share: heavy work of the service
   * itself, which the disconnect of one client does not cancel.
   */
  sharedSnapshot<T>(run: (tx: OpenTx<Client>) => Promise<T>): Promise<T>;
  /**
   * The same database for background work. Its transactions, and its single statements, have the time limit
   * `backgroundTimeoutMs`, are not cancelled by a disconnect, and show as `work` in `pg_stat_activity`. Prisma is for its
   * transactions alone.
   */
  background(work: string): Database<Client>;
  /**
   * Single statements whose result several requests share: the disconnect of one client does not cancel them. Short work
   * of the service itself, also when a heavy request causes it.
   */
  readonly shared: Queryable;
  /** As {@link shared}, for looking up credentials: of the class `authentication`. */
  readonly authentication: Queryable;
  /** Connections for dispatching: short work of the service itself, whichever request causes it. */
  readonly servicePool: ServicePool;
  /**
   * Connections for reads that requests of several users share: heavy work that takes the turn of `user`, and does not
   * count among the heavy work that the user may run at a time.
   */
  snapshotPoolOf(user: string): ServicePool;
  /** Connections and waiting work; `Metrics.watchPool` of `@switchboard/platform` takes them. */
  readonly figures: PoolFigures;
  /** Asks the server for a sign of life. @throws what the connection throws when there is none. */
  ping(): Promise<void>;
  /** Closes the pool when all connections have come back to it. */
  close(): Promise<void>;
}

/** Opens a database. Connections are made when first needed; nothing is thrown here for a server that is away. */
export function createDatabase<Client = unknown>(options: DatabaseOptions<Client>): Database<Client> {
  return new PooledDatabase(createPool(options), options);
}

const firstBackoffMs = 20;

/** Full jitter: rivals that met once should not meet again. */
function backoffMs(attempt: number): number {
  return Math.random() * firstBackoffMs * 2 ** attempt;
}

class PooledDatabase<Client> implements Database<Client> {
  readonly shared: Queryable;
  readonly authentication: Queryable;
  readonly servicePool: ServicePool;
  readonly figures: PoolFigures;

  constructor(
    readonly pool: ContextPool,
    private readonly options: DatabaseOptions<Client>,
    private readonly transactions = new RunningTransactions(),
    private readonly access = new PrismaAccess<Client>({
      open: options.prisma,
      transactions,
      pool,
      outside: (statement) => this.query(statement),
    }),
    private readonly work?: Work,
  ) {
    this.figures = new PoolFigures(pool);
    this.shared = this.statementsOf(() => serviceWork);
    // Of the user, or of the address while there is none yet: a flood of unknown credentials waits for its own turns.
    this.authentication = this.statementsOf(() => ({ kind: 'authentication', user: options.workload?.()?.user }));
    this.servicePool = this.poolOf(serviceWork);
  }

  get prisma(): PrismaReads<Client> {
    if (this.work) throw new Error('Background work uses Prisma in transactions alone');
    return this.access.reads;
  }

  background(work: string): Database<Client> {
    const { applicationName, backgroundTimeoutMs: timeoutMs = 0 } = this.options;
    const named = { name: `${applicationName}: ${work}`, timeoutMs };
    return new PooledDatabase(this.pool, this.options, this.transactions, this.access, named);
  }

  query<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    const disconnect = this.liveDisconnect();
    if (disconnect === undefined) return this.queryUncancelled<R>(sql, params);
    const statement = toStatement(sql, params);
    if (onlyReads(statement.text)) return this.queryCancellable<R>(statement, disconnect);
    const onAdmitted = (): void => disconnect.ignore();
    return this.pool.requesting({ disconnect, onAdmitted }, () => runStatement<R>(this.pool, statement));
  }

  async inTransaction<T>(run: (tx: OpenTx<Client>) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.transactions.isInside) throw new NestedTransactionError();
    const { attempts = 4 } = options;
    const disconnect = this.liveDisconnect();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(run, options, disconnect);
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

  snapshotPoolOf(user: string): ServicePool {
    return this.poolOf({ ...snapshotWork, user: `shared snapshot: ${user}` });
  }

  sharedSnapshot<T>(run: (tx: OpenTx<Client>) => Promise<T>): Promise<T> {
    if (this.transactions.isInside) throw new NestedTransactionError();
    const options = { isolation: 'repeatable read', readOnly: true, request: { work: snapshotWork } } as const;
    return this.attempt(run, options);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.access.close();
    await this.pool.end();
  }

  /** The disconnect that cancels what begins now. What begins after it is the request's cleaning up, and runs. */
  private liveDisconnect(): ClientDisconnect | undefined {
    const disconnect = this.work ? undefined : this.options.disconnect?.();
    return disconnect?.happened ? undefined : disconnect;
  }

  private poolOf(work: Workload): ServicePool {
    const { pool } = this;
    return {
      query: this.statementsOf(() => work).query,
      connect: () => pool.requesting({ work }, () => pool.connect()),
    };
  }

  /** Single statements of one class of work, which a disconnect does not cancel. */
  private statementsOf(workOf: () => Workload): Queryable {
    if (this.work) return { query: (sql, params) => this.queryUncancelled(sql, params) };
    return {
      query: (sql, params) => this.pool.requesting({ work: workOf() }, () => runStatement(this.pool, sql, params)),
    };
  }

  private queryUncancelled<R>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>> {
    return this.work ? this.attempt((tx) => tx.finish<R>(sql, params), {}) : runStatement<R>(this.pool, sql, params);
  }

  private async queryCancellable<R>(statement: Statement, disconnect: ClientDisconnect): Promise<QueryOutcome<R>> {
    const cancel = new StatementCancel();
    const unlisten = disconnect.listen(() => cancel.request());
    try {
      return await this.pool.requesting({ disconnect }, () =>
        runStatement<R>(this.pool, statement, undefined, { cancel }),
      );
    } finally {
      unlisten();
    }
  }

  private async attempt<T>(
    run: (tx: OpenTx<Client>) => Promise<T>,
    options: TransactionOptions & { readonly request?: ConnectionRequest },
    disconnect?: ClientDisconnect,
  ): Promise<T> {
    const request = options.request ?? this.connectionRequest(disconnect);
    const client = await this.pool.requesting(request, () => this.pool.connect());
    const { isolation = 'read committed', readOnly = false } = options;
    const { beforeCommit } = this.options;
    const onCommit = disconnect && (() => disconnect.ignore());
    const prismaOf = (own: OpenTx): Client => this.access.of(own);
    const tx = new Transaction<Client>(client, { isolation, readOnly, beforeCommit, onCommit, prismaOf });
    const unlisten = disconnect?.listen(() => tx.cancel());
    let broken: Error | undefined;
    let result: T;
    try {
      if (disconnect?.happened) throw new ClientDisconnectedError();
      if (this.work) setWorkOf(tx, this.work);
      result = await this.transactions.run(tx, run);
      await tx.end();
    } catch (error) {
      broken = await tx.rollback();
      throw tx.outcomeOf(error);
    } finally {
      unlisten?.();
      this.access.end(tx);
      // A connection given back with an error is closed instead of used again.
      client.release(broken);
    }
    this.announce(tx);
    return result;
  }

  private connectionRequest(disconnect: ClientDisconnect | undefined): ConnectionRequest {
    return this.work ? { work: { kind: 'background', user: this.work.name } } : { disconnect };
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
