import type { ClientBase, CustomTypesConfig, FieldDef, Pool } from 'pg';
import type { StatementCancellation } from './statement-cancellation.js';
import type { StatementFrame } from './transport/transaction-transport.js';

/** An SQL statement with its options, for `Tx.query`. */
export interface Statement {
  /** Name under which the statement is prepared once per connection. Equal names must mean equal texts. */
  readonly name?: string;
  /** SQL text of one statement with placeholders `$1`, `$2`, ... */
  readonly text: string;
  readonly values?: unknown[];
  /** With `array`, each row is an array in column order instead of an object. */
  readonly rowMode?: 'array';
  /** Set if PostgreSQL must plan the statement again at each execution, because the best plan depends on its values. */
  readonly planned?: 'each time';
  /**
   * Parsers for the values of this statement, used instead of the parsers of the pool. The result then has `fields`.
   */
  readonly types?: CustomTypesConfig;
}

/** Result of an SQL statement. */
export interface QueryOutcome<R> {
  readonly rows: R[];
  /** Number of rows returned or changed; 0 for statements without a count. */
  readonly rowCount: number;
  /** Columns of the rows, for a statement with `types`. */
  readonly fields?: FieldDef[];
}

/**
 * Runs SQL: a transaction, a `Database` (each statement is a separate transaction), or a part of either.
 *
 * `R` is the caller's assertion about the shape of a row and is not checked. Values are parsed as follows: int8 to
 * number (an error beyond 2^53-1), numeric to text, date to text (`2026-01-31`), json and jsonb parsed, timestamptz to
 * `Date`. If the exact text of a timestamp matters (microseconds, time zone), format it in SQL with `to_char` or
 * `to_json`.
 */
export interface Queryable {
  /**
   * Runs a statement.
   *
   * @throws pg's DatabaseError; `translateDatabaseError` of `@switchboard/errors` determines its kind
   * @throws TypeError when a value cannot be converted; nothing is sent then
   * @throws TransactionClosedError after the end of the transaction
   * @throws TransactionAbortedError when an earlier statement of the transaction could not be sent, or BEGIN failed
   */
  query<R = Record<string, unknown>>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>>;
}

/**
 * A transaction, or a `Database` (each statement is a separate transaction). `Client` is the type of the Prisma client;
 * code that only runs SQL omits it.
 */
export interface Tx<Client = unknown> extends Queryable {
  /**
   * Prisma client of this transaction: its writes commit and roll back with all other statements of the transaction.
   *
   * Its methods throw errors of Prisma, which `translateDatabaseError` recognizes, and TransactionClosedError after the
   * end of the transaction.
   */
  readonly prisma: Client;
}

/** An open transaction, with the operations that end it. */
export interface OpenTx<Client = unknown> extends Tx<Client> {
  /** True until COMMIT or ROLLBACK is sent. */
  readonly isOpen: boolean;
  /**
   * Registers a check that runs after `beforeCommit`, immediately before COMMIT is sent. An error of the check rolls
   * back and is rethrown. This method and {@link isOpen} make the transaction a `TransactionHandle` of
   * `@switchboard/queue`.
   */
  addCommitCheck(check: () => void): void;
  /**
   * Runs the last statement and commits with it. Both are sent together; without earlier statements the statement is
   * the whole transaction. Statements of `beforeCommit` are sent before it. When the rows are returned, the commit is
   * confirmed, and later errors of the function cannot undo it.
   *
   * @throws as `query` does, with nothing committed; or as `inTransaction` does for a COMMIT
   */
  finish<R = Record<string, unknown>>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>>;
}

/** Returns an SQL statement together with its values. */
export function toStatement(sql: string | Statement, params: unknown[] | undefined): Statement {
  const statement = typeof sql === 'string' ? { text: sql } : sql;
  return params === undefined ? statement : { ...statement, values: params };
}

/** Frame and cancellation that a connection of `createPool` adds to a statement. */
export interface StatementAttachments {
  readonly frame?: StatementFrame | undefined;
  readonly cancel?: StatementCancellation;
}

/**
 * Runs one statement on a pool or a connection of `pg`. A frame or a cancellation requires a pool or connection of
 * `createPool`.
 */
export async function runStatement<R>(
  target: Pool | ClientBase,
  sql: string | Statement,
  params?: unknown[],
  companions?: StatementAttachments,
): Promise<QueryOutcome<R>> {
  const statement = toStatement(sql, params);
  const result = await target.query(companions === undefined ? statement : { ...statement, ...companions });
  const { rows, rowCount, fields } = result;
  return { rows, rowCount: rowCount ?? 0, ...(statement.types && { fields }) };
}
