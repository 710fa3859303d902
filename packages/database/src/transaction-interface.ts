import type { ClientBase, CustomTypesConfig, FieldDef, Pool } from 'pg';
import type { StatementCancellation } from './statement-cancellation.js';
import type { StatementFrame } from './transport/transaction-transport.js';

/** An SQL statement with its options, as an argument of `Tx.query`. */
export interface SqlStatement {
  /**
   * Name under which the statement is prepared once per connection. Two statements with the same name must have the
   * same SQL text.
   */
  readonly name?: string;
  /** SQL text of one statement with placeholders `$1`, `$2`, ... */
  readonly text: string;
  readonly values?: unknown[];
  /** If set to `array`, each row of the result is an array in column order instead of an object. */
  readonly rowMode?: 'array';
  /**
   * Defined if PostgreSQL must plan the statement again at each execution, because the best plan depends on the
   * parameter values.
   */
  readonly planned?: 'each time';
  /**
   * Parsers for the column values of this statement's rows, used instead of the parsers of the pool. If defined, the
   * result contains `fields`.
   */
  readonly types?: CustomTypesConfig;
}

/** Result of an SQL statement. */
export interface SqlStatementResult<R> {
  readonly rows: R[];
  /** Number of rows returned or changed; 0 for statements that report no count. */
  readonly rowCount: number;
  /** Descriptions of the columns in the result, only for a statement with `types`. */
  readonly fields?: FieldDef[];
}

/**
 * Object that runs SQL statements: a transaction, a `Database` (each statement is a separate transaction), or a part of
 * these.
 *
 * `R` is the caller's assertion about the shape of a row and is not checked. An int8 becomes a number (an error beyond
 * 2^53-1), a numeric or date (`2026-01-31`) a text, and a timestamptz a `Date`. Values of json and jsonb are parsed. A
 * query that needs the exact text of a timestamp (microseconds, time zone) must format the timestamp in SQL with
 * `to_char` or `to_json`.
 */
export interface SqlStatementExecutor {
  /**
   * Runs a statement.
   *
   * @throws pg's DatabaseError; `convertErrorToDatabaseFault` of `@switchboard/errors` determines its kind
   * @throws TypeError when a parameter value cannot be converted; the statement is then not sent
   * @throws TransactionClosedError after the end of the transaction
   * @throws TransactionAbortedError when an earlier statement of the transaction could not be sent, or BEGIN failed
   */
  query<R = Record<string, unknown>>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>>;
}

/**
 * A transaction, or a `Database` (each statement is a separate transaction). `Client` is the type of the Prisma client;
 * code that runs only SQL omits this type argument.
 */
export interface Tx<Client = unknown> extends SqlStatementExecutor {
  /**
   * Prisma client of this transaction: its writes commit and roll back with all other statements of the transaction.
   *
   * Its methods throw errors of Prisma, which `convertErrorToDatabaseFault` recognizes, and TransactionClosedError after the
   * end of the transaction.
   */
  readonly prisma: Client;
}

/** An open transaction, with the operations that end it. */
export interface OpenTx<Client = unknown> extends Tx<Client> {
  /** True until COMMIT or ROLLBACK of the transaction is sent. */
  readonly isOpen: boolean;
  /**
   * Registers a check that runs after `beforeCommit`, immediately before COMMIT is sent. An error of the check rolls
   * back the transaction and is rethrown. This method and {@link isOpen} make the transaction a `TransactionHandle` of
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
  finish<R = Record<string, unknown>>(sql: string | SqlStatement, params?: unknown[]): Promise<SqlStatementResult<R>>;
}

/** Returns an SQL statement as an object that contains the SQL text and the parameter values. */
export function toSqlStatement(sql: string | SqlStatement, params: unknown[] | undefined): SqlStatement {
  const statement = typeof sql === 'string' ? { text: sql } : sql;
  return params === undefined ? statement : { ...statement, values: params };
}

/**
 * Additions to a statement that a connection of `createConnectionPool` processes: the frame (message with BEGIN or COMMIT) and
 * the cancellation.
 */
export interface SqlStatementAttachments {
  readonly frame?: StatementFrame | undefined;
  readonly cancel?: StatementCancellation;
}

/**
 * Runs one SQL statement on a pool or a connection of `pg` and returns its result. A statement with a frame or a
 * cancellation requires a pool or connection of `createConnectionPool`.
 */
export async function runSqlStatement<R>(
  target: Pool | ClientBase,
  sql: string | SqlStatement,
  params?: unknown[],
  companions?: SqlStatementAttachments,
): Promise<SqlStatementResult<R>> {
  const statement = toSqlStatement(sql, params);
  const result = await target.query(companions === undefined ? statement : { ...statement, ...companions });
  const { rows, rowCount, fields } = result;
  return { rows, rowCount: rowCount ?? 0, ...(statement.types && { fields }) };
}
