import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import { isTextTooLongError } from '../read/decrypt-fragments.js';
import {
  pageRowsCteName,
  objectRowAlias,
  type ObjectJsonSqlCache,
  type RowJsonSqlExpressions,
} from '../read/object-json-sql.js';
import type { SqlText } from '../sql/json-text-sql.js';

/** Selection of rows of one model that a single SQL statement reads. */
export interface RowIdSelection {
  readonly model: ModelDefinition;
  /** SQL FROM and WHERE clauses (without the keyword FROM) that select the rows with the alias `t`. */
  readonly source: SqlText;
  /**
   * SQL expressions of additional values that the statement computes for each row, by name; see
   * {@link createSelectedRowValueSql}.
   */
  readonly values: Readonly<Record<string, SqlText>>;
}

/** Returns the SQL expression that reads an additional value of a row in a {@link RowIdSelection}. */
export function createSelectedRowValueSql(name: string): SqlText {
  // No column of a model has a name with this character.
  return `${objectRowAlias}."#${name}"`;
}

/**
 * SQL FROM clause for the rows of a {@link RowIdSelection}. The expressions of {@link RowJsonSqlExpressions} refer to
 * these rows.
 */
export const selectedRowsFromClauseSql: SqlText = `${pageRowsCteName} ${objectRowAlias}`;

/**
 * Transactions in which the SQL of each row loads the row's own related objects. Loading related objects in batches
 * exceeded a size limit in an earlier attempt.
 */
const unbatchedTransactions = new WeakSet<Tx>();

/**
 * Error that makes a transaction run again without batches. Thrown if the related objects of many rows together exceed
 * the size limit of one database value.
 */
class BatchTooLongError extends Error {
  override readonly name = 'SliceTooLongError';
}

/**
 * Runs a transaction that reads related objects in batches. If a batch exceeds PostgreSQL's size limit for one value,
 * the transaction is run again without batches. The SQL of each row then loads the row's related objects. A savepoint
 * for each batch would slow down the reads of all other transactions, because PostgreSQL caches only 64 subtransactions
 * per transaction.
 *
 * @param run runs the transaction, in which it must call `begin` first
 */
export async function retryWithoutBatches<T>(run: (begin: (tx: Tx) => void) => Promise<T>): Promise<T> {
  try {
    return await run(() => undefined);
  } catch (error) {
    if (!(error instanceof BatchTooLongError)) throw error;
    return run((tx) => void unbatchedTransactions.add(tx));
  }
}

/**
 * Runs an SQL statement on some rows of a model. Related objects are loaded in batches. Each related object is loaded
 * only once, even if many rows refer to it. The caller must run the transaction in {@link retryWithoutBatches}.
 *
 * @param build returns the statement that follows the common table expression of {@link selectedRowsFromClauseSql}: further
 * common table expressions, beginning with a comma, and the query. `$1` is the scheme and host of URLs.
 */
export async function runStatementOnRowBatches<R extends object>(
  tx: Tx,
  shapes: ObjectJsonSqlCache,
  { model, source, values }: RowIdSelection,
  build: (forms: RowJsonSqlExpressions) => SqlText,
  params: readonly unknown[],
): Promise<R[]> {
  const further = Object.entries(values).map(([name, value]) => `, ${value} AS "#${name}"`);
  const rows = `SELECT ${objectRowAlias}.*${further.join('')} FROM ${source} AND $1::text IS NOT NULL`;
  const loadsOwn = unbatchedTransactions.has(tx);
  const forms = loadsOwn
    ? { full: shapes.getFullObjectSql(model), snapshot: shapes.getSnapshotSql(model) }
    : shapes.getStagedObjectSql(model);
  try {
    return (await tx.query<R>(`WITH ${pageRowsCteName} AS MATERIALIZED (${rows})${build(forms)}`, [...params])).rows;
  } catch (error) {
    throw isTextTooLongError(error) && !loadsOwn ? new BatchTooLongError('', { cause: error }) : error;
  }
}
