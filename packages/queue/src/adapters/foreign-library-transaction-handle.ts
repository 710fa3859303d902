import { DEFAULT_QUEUE_SCHEMA, createSqlCacheBySchema, toSchemaIdentifier } from '../queue-schema.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';

/** Options of the adapters for transactions of other database libraries. */
export interface TransactionAdapterOptions {
  /** Database schema that contains the tables of the queue package, see `applyQueueMigrations`. Default `queue`. */
  schema?: string;
}

/** A transaction of another database library. */
export interface ForeignLibraryTransaction {
  /** Runs an SQL statement with the parameters `$1`, `$2`, … in the transaction and returns its rows. */
  run(sql: string, params: readonly unknown[]): Promise<readonly unknown[]>;
  /** Returns false if the library has recorded that the transaction has ended. */
  isActive?(): boolean;
}

/** SQLSTATE with which `refuse_commit` in sql/007_commit_guards.sql rejects the COMMIT of a transaction. */
const COMMIT_REFUSED_SQL_STATE = 'QUE02';

const commitGuardStatements = createSqlCacheBySchema((schema) => ({
  insert: `INSERT INTO ${schema}.commit_guard DEFAULT VALUES RETURNING id::text AS id`,
  remove: `DELETE FROM ${schema}.commit_guard WHERE id = $1::bigint RETURNING id::text AS id`,
}));

/**
 * Transaction handle for a library that sends COMMIT itself. A guard row makes the server reject a COMMIT if the
 * buffered outbox rows were not inserted first (flush). The flush also deletes the guard row. If the row is missing,
 * the transaction, or the savepoint in which the handle was created, has ended.
 */
export class ForeignLibraryTransactionHandle implements TransactionHandle {
  private isFlushed = false;
  private readonly checks: (() => void)[] = [];
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly transaction: ForeignLibraryTransaction,
    private readonly removeSql: string,
    private readonly guard: string,
  ) {}

  /**
   * Creates the handle of a transaction that another library has begun.
   *
   * @throws QueueUsageError when no transaction is open
   */
  static async open(
    transaction: ForeignLibraryTransaction,
    options: TransactionAdapterOptions = {},
  ): Promise<TransactionHandle> {
    if (transaction.isActive?.() === false) throw notInTransactionError();
    const { insert, remove } = commitGuardStatements(toSchemaIdentifier(options.schema ?? DEFAULT_QUEUE_SCHEMA));
    const [row] = await transaction.run(insert, []).catch((error: unknown) => {
      throw isCommitRefusedError(error) ? notInTransactionError(error) : error;
    });
    return new ForeignLibraryTransactionHandle(transaction, remove, getTransactionId(row));
  }

  get isOpen(): boolean {
    return !this.isFlushed && this.transaction.isActive?.() !== false;
  }

  addCommitCheck(check: () => void): void {
    this.checks.push(check);
  }

  /**
   * Runs an SQL statement in the transaction. Statements run one after another, because some libraries do not preserve
   * the order of concurrent statements.
   */
  query<R = Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<{ rows: R[] }> {
    const result = this.last.then(async () => ({ rows: [...(await this.transaction.run(sql, params))] as R[] }));
    this.last = result.catch(() => undefined);
    return result;
  }

  async beginFlush(): Promise<void> {
    for (const check of this.checks) check();
    this.isFlushed = true;
    const { rows } = await this.query(this.removeSql, [this.guard]);
    if (rows.length === 0) throw new QueueUsageError('The transaction or savepoint of this handle has ended');
  }
}

const notInTransactionError = (cause?: unknown): QueueUsageError =>
  new QueueUsageError('A transaction handle requires an open transaction of a single connection', { cause });

/**
 * Returns true if the error is from the trigger that rejects a COMMIT. Libraries wrap errors of the server in different
 * ways, so the check also examines messages and causes.
 */
function isCommitRefusedError(error: unknown): boolean {
  return (
    error instanceof Error &&
    (Reflect.get(error, 'code') === COMMIT_REFUSED_SQL_STATE ||
      /refuse_commit|not flushed/.test(getErrorTextWithCause(error)))
  );
}

const getErrorTextWithCause = (error: Error): string =>
  `${error.message} ${error.cause instanceof Error ? getErrorTextWithCause(error.cause) : ''}`;

function getTransactionId(row: unknown): string {
  const id: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, 'id') : undefined;
  if (typeof id !== 'string') throw new QueueUsageError('The library returned no rows of an INSERT … RETURNING');
  return id;
}
