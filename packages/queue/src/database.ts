/**
 * Interfaces of PostgreSQL libraries that this package needs. `pg`, `@switchboard/database` and most other libraries
 * implement these interfaces, so this package depends on no particular library.
 */

/**
 * A transaction of the caller, or any other database connection that runs SQL. Parameter placeholders are `$1`, `$2`,
 * ...
 */
export interface QueueTx {
  query<R = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/**
 * A connection taken from a {@link QueuePool}. `release(true)` or `release(error)` closes the connection instead of
 * returning it to the pool.
 */
export interface QueueConnection extends QueueTx {
  release(broken?: Error | boolean): void;
}

/**
 * Methods of `pg.Pool` that this package uses. The pool must connect to the primary PostgreSQL server, never to a
 * replica.
 */
export interface QueuePool extends QueueTx {
  connect(): Promise<QueueConnection>;
}

/** A transaction of {@link runInPoolTransaction} that can send its last statement together with COMMIT. */
export interface EndableTransaction extends QueueTx {
  /**
   * Sets the last statement of the transaction and a statement after COMMIT; both must be without parameters. The two
   * statements and COMMIT are sent in one message. `onRows` is called with the rows of the second statement.
   */
  endWith(last: string, after: string, onRows: (rows: readonly unknown[]) => void): void;
}

/**
 * Time limit in milliseconds for one statement of a dispatcher, which processes outbox rows. The limit is longer than
 * the limit for requests, which the pool may have set.
 */
const DISPATCH_TIMEOUT_MS = 600_000;

/**
 * Kind of transaction that {@link runInPoolTransaction} begins. A `snapshot` transaction only reads, and all its
 * statements read the same state of the data. A `dispatch` transaction has a longer statement time limit.
 */
export type TransactionMode = 'read committed' | 'snapshot' | 'dispatch';

const beginStatementByMode: Record<TransactionMode, string> = {
  'read committed': 'BEGIN ISOLATION LEVEL READ COMMITTED',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  dispatch: `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${DISPATCH_TIMEOUT_MS}`,
};

/**
 * Runs `work` in a new transaction on a connection of the pool, commits, and returns the result of `work`. After an
 * error, rolls back and rethrows the error. Closes the connection if ROLLBACK also fails.
 */
export async function runInPoolTransaction<T>(
  pool: QueuePool,
  work: (tx: EndableTransaction) => Promise<T>,
  mode: TransactionMode = 'read committed',
): Promise<T> {
  const connection = await pool.connect();
  let ending = 'COMMIT';
  let receiveRows = (_rows: readonly unknown[]): void => {};
  const tx: EndableTransaction = {
    query: (sql, params) => connection.query(sql, params),
    endWith: (last, after, onRows) => {
      ending = `${last}; COMMIT; ${after}`;
      receiveRows = onRows;
    },
  };
  let broken = false;
  try {
    await connection.query(beginStatementByMode[mode]);
    const result = await work(tx);
    const outcome: unknown = await connection.query(ending);
    receiveRows(getRowsOfLastResult(outcome));
    return result;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/**
 * Returns the rows of the last statement in a message with several statements. Database drivers return a list of
 * results for a message with several statements.
 */
function getRowsOfLastResult(outcome: unknown): readonly unknown[] {
  const last: unknown = Array.isArray(outcome) ? outcome.at(-1) : outcome;
  const rows: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'rows') : undefined;
  return Array.isArray(rows) ? rows : [];
}

/**
 * Returns true if a failed statement may have been committed, because the response to it was lost. Returns false if
 * PostgreSQL rejected the statement, and if the driver did not send it. For a lost connection, a shutdown and a failed
 * server (SQLSTATE 08, 57P, 58 and 40003), the outcome remains unknown.
 */
export function isStatementOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  const code = 'code' in error ? String(error.code) : '';
  const isRejected = /^(\d[\dA-Z]|P0)[\dA-Z]{3}$/.test(code) && !/^(08|57P|58|40003)/.test(code);
  const isUnsent =
    error instanceof RangeError ||
    code === 'ECONNREFUSED' ||
    ('syscall' in error && error.syscall === 'connect') ||
    error.message === 'timeout exceeded when trying to connect';
  return !isRejected && !isUnsent;
}

/**
 * Returns true for temporary database errors, which are not caused by the data of a row. Examples are a lost
 * connection, a shutdown, a deadlock, a serialization failure, and a server that accepts only reads. Returns false for
 * statement timeouts (57014), because a row may cause a timeout.
 */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(08|40|53|57P|25006)/.test(code) ||
    /^E[A-Z]+$/.test(code) ||
    /connection (terminated|timeout)/i.test(error.message)
  );
}
