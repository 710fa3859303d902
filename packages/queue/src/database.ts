/**
 * The interfaces of PostgreSQL that this package needs. `pg`, `@switchboard/database` and most wrappers already satisfy
 * them, so this package depends on none of them.
 */

/** A transaction of the caller's, or any connection. Placeholders are `$1`, `$2`, ... */
export interface QueueTx {
  query<R = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A connection taken from the pool. `release(true)` or `release(error)` closes it instead of giving it back. */
export interface QueueConnection extends QueueTx {
  release(broken?: Error | boolean): void;
}

/** The part of `pg.Pool` used by this package. It must connect to the primary, never to a replica. */
export interface QueuePool extends QueueTx {
  connect(): Promise<QueueConnection>;
}

/** A transaction of {@link inPoolTransaction}. */
export interface EndingTx extends QueueTx {
  /**
   * Statements without parameters for the end, which leave in one message with COMMIT: the last of the transaction, and
   * one after it whose rows are given to `answered`.
   */
  endWith(last: string, after: string, answered: (rows: readonly unknown[]) => void): void;
}

/** Time limit for one statement of a dispatcher: longer than that of requests, which the pool may have set. */
const DISPATCH_TIMEOUT_MS = 600_000;

/**
 * The mode in which {@link inPoolTransaction} begins. `snapshot` is one unchanging view of the data, without writes; `dispatch` has the
 * time limit of dispatchers.
 */
export type TransactionMode = 'read committed' | 'snapshot' | 'dispatch';

const begin: Record<TransactionMode, string> = {
  'read committed': 'BEGIN ISOLATION LEVEL READ COMMITTED',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  dispatch: `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${DISPATCH_TIMEOUT_MS}`,
};

/**
 * Runs `work` in a transaction of its own and commits it. Any error rolls back and is thrown on; a connection on
 * which even ROLLBACK fails is closed.
 */
export async function inPoolTransaction<T>(
  pool: QueuePool,
  work: (tx: EndingTx) => Promise<T>,
  mode: TransactionMode = 'read committed',
): Promise<T> {
  const connection = await pool.connect();
  let ending = 'COMMIT';
  let answered = (_rows: readonly unknown[]): void => {};
  const tx: EndingTx = {
    query: (sql, params) => connection.query(sql, params),
    endWith: (last, after, answer) => {
      ending = `${last}; COMMIT; ${after}`;
      answered = answer;
    },
  };
  let broken = false;
  try {
    await connection.query(begin[mode]);
    const result = await work(tx);
    const outcome: unknown = await connection.query(ending);
    answered(rowsOfLast(outcome));
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

/** Of the last statement of a message with several: drivers give a result for each. */
function rowsOfLast(outcome: unknown): readonly unknown[] {
  const last: unknown = Array.isArray(outcome) ? outcome.at(-1) : outcome;
  const rows: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'rows') : undefined;
  return Array.isArray(rows) ? rows : [];
}

/**
 * True for faults of the database itself (connection, shutdown, deadlock, serialization), which blame no row. A
 * statement that was cancelled for its time (57014) does blame one.
 */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(08|40|53|57P)/.test(code) || /^E[A-Z]+$/.test(code) || /connection (terminated|timeout)/i.test(error.message)
  );
}
