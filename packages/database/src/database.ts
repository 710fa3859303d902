import { setTimeout as delay } from 'node:timers/promises';
import { isRetryableTransactionError } from '@switchboard/errors';
import type { Pool, PoolClient } from 'pg';
import { ConnectionPoolCounts } from './admission/pool-counts.js';
import {
  serviceDatabaseWorkload,
  sharedReadDatabaseWorkload,
  type DatabaseWorkClassAndUser,
} from './admission/database-workload.js';
import { sendBackgroundWorkSettings, type BackgroundDatabaseWorkSettings } from './background-work-settings.js';
import { StatementCancellation } from './statement-cancellation.js';
import { type ClientDisconnectObserver, ClientDisconnectedError, isReadOnlyStatement } from './client-disconnect.js';
import { isReadOnlyServerError } from './connection-errors.js';
import type { DatabaseConnectionRequest, AdmissionControlledPool } from './admission-pool.js';
import { createConnectionPool, type ConnectionPoolOptions } from './create-pool.js';
import type { PrismaClientOpener, PrismaReadModels } from './prisma/prisma-client-types.js';
import { PrismaClientProvider } from './prisma/prisma-access.js';
import { RunningTransactionTracker } from './running-transactions.js';
import { PooledTransaction } from './transaction.js';
import { UnknownCommitOutcomeError, NestedTransactionError } from './transaction-errors.js';
import type { BeforeCommitContext, TransactionIsolationLevel } from './transaction-settings.js';
import { plainTransactionTransport } from './transport/plain-transport.js';
import type { TransactionTransport } from './transport/transaction-transport.js';
import {
  type OpenTx,
  type SqlStatementExecutor,
  type SqlStatementResult,
  runSqlStatement,
  type SqlStatement,
  toSqlStatement,
  type Tx,
} from './transaction-interface.js';

/** Options of {@link createDatabase}: settings of the connection pool, and callbacks of transactions. */
export interface DatabaseOptions<Client = unknown> extends ConnectionPoolOptions {
  /**
   * Callback that runs at the end of every transaction, before COMMIT. The outbox inserts its rows in this callback.
   * Statements that the callback sends before its first `await` share a round trip with COMMIT. Errors of the callback
   * roll back the transaction. An error that the callback itself throws after sending a statement becomes a
   * `UnknownCommitOutcomeError`.
   */
  readonly beforeCommit?: (tx: OpenTx, ending: BeforeCommitContext) => Promise<void>;
  /**
   * Returns the {@link ClientDisconnectObserver} of the client for which the calling code works, or undefined if there is no
   * client. A disconnect cancels running statements and transactions of the client's request. Single statements that
   * may write, and transactions whose COMMIT was sent, are not cancelled.
   */
  readonly disconnect?: () => ClientDisconnectObserver | undefined;
  /**
   * Callback that runs after the server has confirmed COMMIT, outside the transaction. Errors of the callback are
   * logged and not thrown.
   */
  readonly afterCommit?: (tx: OpenTx) => void;
  /**
   * Transport that sends BEGIN and COMMIT of transactions. Default: `plainTransactionTransport`. The alternative `framedTransactionTransport`
   * needs fewer messages.
   */
  readonly transport?: TransactionTransport;
  /** Function that creates the Prisma client of this database on its first use. Default: no Prisma client. */
  readonly prisma?: PrismaClientOpener<Client>;
}

/** Options of one database transaction. */
export interface TransactionOptions {
  /** Isolation level of the transaction. Default `read committed`. */
  readonly isolation?: TransactionIsolationLevel;
  /** True if the transaction is started as read-only. Default false. */
  readonly readOnly?: boolean;
  /**
   * Maximum number of runs of the transaction's function, which is repeated after conflicts with other transactions.
   * Default 4.
   */
  readonly attempts?: number;
}

/** Connections of a pool in the form that `Outbox` and `EventLog` of `@switchboard/queue` require. */
export interface QueueConnectionPool extends SqlStatementExecutor {
  connect(): Promise<PoolClient>;
}

/**
 * One PostgreSQL database: its connection pool, single statements, and transactions. `Client` is the type of the Prisma
 * client inside a transaction. Outside a transaction, {@link Tx.prisma} supports only reads.
 */
export interface Database<Client = unknown> extends Tx<PrismaReadModels<Client>> {
  /** Connection pool. Connections of the pool log slow queries, regardless of which component sends them. */
  readonly pool: Pool;
  /**
   * Runs `run` in a transaction, commits, and returns the result of `run`. After a deadlock or a serialization failure,
   * `run` is repeated in a new transaction after a short random delay. Therefore `run` must have no effects outside the
   * transaction.
   *
   * @throws Error of `run`, after a rollback
   * @throws NestedTransactionError if called inside another transaction of this database
   * @throws TransactionAbortedError when `run` swallowed the error of a statement
   * @throws UnknownCommitOutcomeError when an error leaves open whether the transaction was committed
   */
  inTransaction<T>(run: (tx: OpenTx<Client>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs `run` once in a repeatable read transaction whose result several requests share. The transaction counts as
   * heavy work of the service itself. The disconnect of one client does not cancel the transaction.
   */
  sharedSnapshot<T>(run: (tx: OpenTx<Client>) => Promise<T>): Promise<T>;
  /**
   * Returns an object for the same database that runs background work named `work`. Its transactions and single
   * statements have the time limit `backgroundTimeoutMs`, and a disconnect does not cancel them. `pg_stat_activity`
   * displays the work's name. Prisma is available only inside transactions.
   */
  background(work: string): Database<Client>;
  /**
   * Runs single statements whose result several requests share: the disconnect of one client does not cancel the
   * statements. The statements count as short work of the service itself, even if a heavy request causes them.
   */
  readonly shared: SqlStatementExecutor;
  /**
   * Runs single statements that read credentials, in the class `authentication`. A client's disconnect does not cancel
   * the statements, as with {@link shared}.
   */
  readonly authentication: SqlStatementExecutor;
  /**
   * Connections with which outbox rows and events are dispatched. Dispatching counts as short work of the service
   * itself, regardless of the request that caused the rows or events.
   */
  readonly servicePool: QueueConnectionPool;
  /**
   * Returns connections for reads whose result is shared by requests of several users. These reads are heavy work in
   * the queue of `user`, but do not count against the user's limit of concurrent heavy work.
   */
  snapshotPoolOf(user: string): QueueConnectionPool;
  /**
   * Numbers of the pool's connections and of waiting pieces of work, for `Metrics.addPoolMetrics` of
   * `@switchboard/platform`.
   */
  readonly poolCounts: ConnectionPoolCounts;
  /**
   * Checks that the PostgreSQL server responds.
   *
   * @throws Error of the connection if the server does not respond
   */
  ping(): Promise<void>;
  /** Closes the connection pool after all connections have returned to it. */
  close(): Promise<void>;
}

/**
 * Creates the object for a database. Connections are opened when they are first needed, so that an unavailable server
 * causes no error in this function.
 */
export function createDatabase<Client = unknown>(options: DatabaseOptions<Client>): Database<Client> {
  return new PooledDatabase(createConnectionPool(options), options);
}

/**
 * Returns the error to throw for a failed transaction that was started as read-only. If the transaction has tried to
 * write, this is a defect of the program, not of the server. The returned error then has another class and no SQLSTATE.
 */
function convertReadOnlyServerError(error: unknown): unknown {
  if (!isReadOnlyServerError(error) || !(error instanceof Error)) return error;
  return new TypeError(`A transaction that was started as read-only wrote: ${error.message}`);
}

const firstTransactionRetryDelayMs = 20;

/**
 * Returns a random delay in milliseconds before a transaction is repeated (full jitter). The random delay prevents that
 * two conflicting transactions conflict again.
 */
function computeRandomTransactionRetryDelayMs(attempt: number): number {
  return Math.random() * firstTransactionRetryDelayMs * 2 ** attempt;
}

class PooledDatabase<Client> implements Database<Client> {
  readonly shared: SqlStatementExecutor;
  readonly authentication: SqlStatementExecutor;
  readonly servicePool: QueueConnectionPool;
  readonly poolCounts: ConnectionPoolCounts;

  constructor(
    readonly pool: AdmissionControlledPool,
    private readonly options: DatabaseOptions<Client>,
    private readonly transactions = new RunningTransactionTracker(),
    private readonly prismaAccess = new PrismaClientProvider<Client>({
      open: options.prisma,
      transactions,
      pool,
      runOutsideTransaction: (statement) => this.query(statement),
    }),
    private readonly work?: BackgroundDatabaseWorkSettings,
  ) {
    this.poolCounts = new ConnectionPoolCounts(pool);
    this.shared = this.createQueryExecutor(() => serviceDatabaseWorkload);
    // The user is that of the request, or its address until the user is known, so that a flood of unknown credentials
    // delays only itself.
    this.authentication = this.createQueryExecutor(() => ({
      kind: 'authentication',
      user: options.workload?.()?.user,
    }));
    this.servicePool = this.createServicePool(serviceDatabaseWorkload);
  }

  get prisma(): PrismaReadModels<Client> {
    if (this.work) throw new Error('Background work uses Prisma in transactions alone');
    return this.prismaAccess.reads;
  }

  background(work: string): Database<Client> {
    const { applicationName, backgroundTimeoutMs: timeoutMs = 0 } = this.options;
    const named = { name: `${applicationName}: ${work}`, timeoutMs };
    return new PooledDatabase(this.pool, this.options, this.transactions, this.prismaAccess, named);
  }

  query<R>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>> {
    const disconnect = this.activeClientDisconnect();
    if (disconnect === undefined) return this.queryWithoutCancellation<R>(sql, params);
    const statement = toSqlStatement(sql, params);
    if (isReadOnlyStatement(statement.text)) return this.queryWithCancellation<R>(statement, disconnect);
    const onAdmitted = (): void => disconnect.ignoreLaterDisconnect();
    return this.pool.runWithConnectionRequest({ disconnect, onAdmitted }, () =>
      runSqlStatement<R>(this.pool, statement),
    );
  }

  async inTransaction<T>(run: (tx: OpenTx<Client>) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (this.transactions.isInsideTransaction) throw new NestedTransactionError();
    const { attempts = 4 } = options;
    const disconnect = this.activeClientDisconnect();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attemptTransaction(run, options, disconnect);
      } catch (error) {
        if (attempt >= attempts || error instanceof UnknownCommitOutcomeError || !isRetryableTransactionError(error))
          throw error;
        const requestId = this.options.requestId?.();
        this.options.logger.warn(
          { err: error, attempt, requestId },
          'transaction conflicted with another one, retrying',
        );
      }
      await delay(computeRandomTransactionRetryDelayMs(attempt));
    }
  }

  snapshotPoolOf(user: string): QueueConnectionPool {
    return this.createServicePool({ ...sharedReadDatabaseWorkload, user: `shared snapshot: ${user}` });
  }

  sharedSnapshot<T>(run: (tx: OpenTx<Client>) => Promise<T>): Promise<T> {
    if (this.transactions.isInsideTransaction) throw new NestedTransactionError();
    const options = {
      isolation: 'repeatable read',
      readOnly: true,
      request: { work: sharedReadDatabaseWorkload },
    } as const;
    return this.attemptTransaction(run, options);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.prismaAccess.closeClient();
    await this.pool.end();
  }

  /**
   * Returns the object that reports the client's disconnect, which cancels statements. Returns undefined after the
   * disconnect, because the remaining statements of the request clean up and must run.
   */
  private activeClientDisconnect(): ClientDisconnectObserver | undefined {
    const disconnect = this.work ? undefined : this.options.disconnect?.();
    return disconnect?.hasOccurred ? undefined : disconnect;
  }

  private createServicePool(work: DatabaseWorkClassAndUser): QueueConnectionPool {
    const { pool } = this;
    return {
      query: this.createQueryExecutor(() => work).query,
      connect: () => pool.runWithConnectionRequest({ work }, () => pool.connect()),
    };
  }

  /**
   * Returns an object that runs single statements as one class of database work. A client's disconnect does not cancel
   * the statements.
   */
  private createQueryExecutor(workOf: () => DatabaseWorkClassAndUser): SqlStatementExecutor {
    if (this.work) return { query: (sql, params) => this.queryWithoutCancellation(sql, params) };
    return {
      query: (sql, params) =>
        this.pool.runWithConnectionRequest({ work: workOf() }, () => runSqlStatement(this.pool, sql, params)),
    };
  }

  private queryWithoutCancellation<R>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>> {
    return this.work
      ? this.attemptTransaction((tx) => tx.finish<R>(sql, params), {})
      : runSqlStatement<R>(this.pool, sql, params);
  }

  private async queryWithCancellation<R>(
    statement: SqlStatement,
    disconnect: ClientDisconnectObserver,
  ): Promise<SqlStatementResult<R>> {
    const cancel = new StatementCancellation();
    const unlisten = disconnect.addListener(() => cancel.cancelRunningStatement());
    try {
      return await this.pool.runWithConnectionRequest({ disconnect }, () =>
        runSqlStatement<R>(this.pool, statement, undefined, { cancel }),
      );
    } finally {
      unlisten();
    }
  }

  private async attemptTransaction<T>(
    run: (tx: OpenTx<Client>) => Promise<T>,
    options: TransactionOptions & { readonly request?: DatabaseConnectionRequest },
    disconnect?: ClientDisconnectObserver,
  ): Promise<T> {
    const request = options.request ?? this.createConnectionRequest(disconnect);
    const client = await this.pool.runWithConnectionRequest(request, () => this.pool.connect());
    const { isolation = 'read committed', readOnly = false } = options;
    const { beforeCommit, transport = plainTransactionTransport } = this.options;
    const onCommit = disconnect && (() => disconnect.ignoreLaterDisconnect());
    const prismaOf = (own: OpenTx): Client => this.prismaAccess.getClientOfTransaction(own);
    const tx = new PooledTransaction<Client>(client, {
      isolation,
      readOnly,
      transport,
      beforeCommit,
      onCommit,
      prismaOf,
    });
    const unlisten = disconnect?.addListener(() => tx.cancel());
    let broken: Error | undefined;
    let result: T;
    try {
      if (disconnect?.hasOccurred) throw new ClientDisconnectedError();
      if (this.work) sendBackgroundWorkSettings(tx, this.work);
      result = await this.transactions.runAsTransactionOwner(tx, run);
      await tx.end();
    } catch (error) {
      broken = await tx.rollback();
      throw readOnly ? convertReadOnlyServerError(tx.getErrorAfterRollback(error)) : tx.getErrorAfterRollback(error);
    } finally {
      unlisten?.();
      this.prismaAccess.endPrismaTransaction(tx);
      // A connection released with an error is closed instead of reused.
      client.release(broken);
    }
    this.callAfterCommitAndLogErrors(tx);
    return result;
  }

  private createConnectionRequest(disconnect: ClientDisconnectObserver | undefined): DatabaseConnectionRequest {
    return this.work ? { work: { kind: 'background', user: this.work.name } } : { disconnect };
  }

  /**
   * Calls the callback `afterCommit` and logs its errors. The commit is final, so the caller of the transaction must
   * not get an error.
   */
  private callAfterCommitAndLogErrors(tx: PooledTransaction): void {
    try {
      this.options.afterCommit?.(tx);
    } catch (error) {
      this.options.logger.error({ err: error }, 'work after a commit failed');
    }
  }
}
