import type { ClientBase, CustomTypesConfig, FieldDef, Pool } from 'pg';
import type { StatementCancel } from './cancellation.js';
import type { Frame } from './framed-query.js';

/** One SQL statement with its options, for `Tx.query`. */
export interface Statement {
  /** Prepares the statement under this name once a connection. Equal names must mean equal texts. */
  readonly name?: string;
  /** One statement; placeholders are `$1`, `$2`, ... */
  readonly text: string;
  readonly values?: unknown[];
  /** `array` gives each row as an array in column order instead of an object. */
  readonly rowMode?: 'array';
  /** Plans the statement for its values each time, for statements whose best plan depends on them. */
  readonly planned?: 'each time';
  /** Parsers for the values of this statement instead of those of the pool. The outcome then has `fields`. */
  readonly types?: CustomTypesConfig;
}

/** Result of a statement. */
export interface QueryOutcome<R> {
  readonly rows: R[];
  /** Rows returned or changed; 0 for statements that count none. */
  readonly rowCount: number;
  /** Columns of the rows, for a statement with `types`. */
  readonly fields?: FieldDef[];
}

/**
 * Something that runs SQL: a transaction, a `Database` where each statement is a transaction of its own, or a part of
 * either.
 *
 * `R` is the caller's claim about the shape of a row; nothing checks it. Values arrive as: int8 as number (an error
 * past 2^53-1), numeric as text, date as text (`2026-01-31`), json and jsonb parsed, timestamptz as `Date`. Where
 * the exact text of a moment matters (microseconds, time zone), let SQL write it with `to_char` or `to_json`.
 */
export interface Queryable {
  /**
   * @throws pg's DatabaseError; `translateDatabaseError` of `@switchboard/errors` tells its kind.
   * @throws what converting the values throws, before anything is sent.
   * @throws TransactionClosedError on a transaction that is over.
   * @throws TransactionAbortedError on one of which a statement could not be sent, or that did not begin.
   */
  query<R = Record<string, unknown>>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>>;
}

/**
 * A transaction, or a `Database` where each statement is a transaction of its own. `Client` is the type of the Prisma
 * client; code that runs SQL alone leaves it out.
 */
export interface Tx<Client = unknown> extends Queryable {
  /**
   * Prisma on this transaction: what it writes commits and rolls back with everything else of it.
   *
   * Its methods throw errors of Prisma, which `translateDatabaseError` knows, and TransactionClosedError on a transaction
   * that is over.
   */
  readonly prisma: Client;
}

/** A transaction that its own function may end. */
export interface OpenTx<Client = unknown> extends Tx<Client> {
  /** True until COMMIT or ROLLBACK is sent. */
  readonly isOpen: boolean;
  /**
   * Registers a check that runs immediately before COMMIT is sent, behind `beforeCommit`. An error of the check rolls back
   * and is thrown on. With {@link isOpen} this makes the transaction a `TransactionHandle` of `@switchboard/queue`.
   */
  addCommitCheck(check: () => void): void;
  /**
   * Runs the last statement and commits with it: both leave at once, and when nothing came before them the statement
   * is the whole transaction. What was left to `beforeCommit` goes in front of it. The rows are those of a confirmed
   * commit; whatever the function does afterwards can no longer undo it.
   *
   * @throws as `query` does, nothing is committed then; as `inTransaction` does for a COMMIT.
   */
  finish<R = Record<string, unknown>>(sql: string | Statement, params?: unknown[]): Promise<QueryOutcome<R>>;
}

/** One statement and its values. */
export function toStatement(sql: string | Statement, params: unknown[] | undefined): Statement {
  const statement = typeof sql === 'string' ? { text: sql } : sql;
  return params === undefined ? statement : { ...statement, values: params };
}

/** The frame and the cancellation that a connection of `createPool` adds to a statement. */
export interface Companions {
  readonly frame?: Frame | undefined;
  readonly cancel?: StatementCancel;
}

/** Runs one statement on a pool or a connection of `pg`; with companions on those of `createPool`. */
export async function runStatement<R>(
  target: Pool | ClientBase,
  sql: string | Statement,
  params?: unknown[],
  companions?: Companions,
): Promise<QueryOutcome<R>> {
  const statement = toStatement(sql, params);
  const result = await target.query(companions === undefined ? statement : { ...statement, ...companions });
  const { rows, rowCount, fields } = result;
  return { rows, rowCount: rowCount ?? 0, ...(statement.types && { fields }) };
}
