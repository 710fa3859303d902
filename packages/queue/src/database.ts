/**
 * Interfaces of PostgreSQL that this package needs. `pg`, `@switchboard/database` and most other libraries implement
 * them, so this package depends on none of them.
 */

/** A transaction of the caller, or any database connection. Placeholders are `$1`, `$2`, ... */
export interface QueueTx {
  query<R = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/**
 * A connection taken from a {@link QueuePool}. `release(true)` or `release(error)` closes it instead of returning it to
 * the pool.
 */
export interface QueueConnection extends QueueTx {
  release(broken?: Error | boolean): void;
}

/** The methods of `pg.Pool` that this package uses. The pool must connect to the primary, never to a replica. */
export interface QueuePool extends QueueTx {
  connect(): Promise<QueueConnection>;
}

/** A transaction of {@link runInPoolTransaction} that can send its last statement together with COMMIT. */
export interface EndableTransaction extends QueueTx {
  /**
   * Sets the last statement of the transaction and a statement after COMMIT; neither has parameters. Both are sent in
   * one message with COMMIT. `onRows` is called with the rows of the second statement.
   */
  endWith(last: string, after: string, onRows: (rows: readonly unknown[]) => void): void;
}

/**
 * Time limit for one statement of a dispatcher, in milliseconds. It is longer than the limit for requests, which the
 * pool may have set.
 */
const DISPATCH_TIMEOUT_MS = 600_000;

/**
 * Kind of transaction that {@link runInPoolTransaction} begins. `snapshot` only reads, and sees one state of the data.
 * `dispatch` has the time limit of dispatchers.
 */
export type TransactionMode = 'read committed' | 'snapshot' | 'dispatch';

const beginStatementByMode: Record<TransactionMode, string> = {
  'read committed': 'BEGIN ISOLATION LEVEL READ COMMITTED',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  dispatch: `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${DISPATCH_TIMEOUT_MS}`,
};

/**
 * Runs `work` in a new transaction of a pool and commits it. Rolls back and rethrows any error; closes the connection
 * if ROLLBACK fails too.
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
 * Returns the rows of the last statement in a message of several statements. Drivers return a list of results for such
 * a message.
 */
function getRowsOfLastResult(outcome: unknown): readonly unknown[] {
  const last: unknown = Array.isArray(outcome) ? outcome.at(-1) : outcome;
  const rows: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'rows') : undefined;
  return Array.isArray(rows) ? rows : [];
}

/**
 * Returns true for database errors that no row causes: lost connection, shutdown, deadlock, serialization failure, a
 * server that accepts only reads.
 * Statement timeouts (57014) do not count, because a row may cause them.
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
