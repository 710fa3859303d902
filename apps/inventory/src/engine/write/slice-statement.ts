import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { isTooLong } from '../read/object-pieces.js';
import { pageTable, rowAlias, type Shapes, type StagedShapes } from '../read/shapes.js';
import type { Sql } from '../sql/pieces.js';

/** Some rows of one model that one statement reads. */
export interface RowSlice {
  readonly model: ModelDefinition;
  /** SQL tables and condition after `FROM`, with the model's row as `t`. */
  readonly source: Sql;
  /** SQL expressions of values of each row besides its columns, by name; see {@link sliceValueSql}. */
  readonly values: Readonly<Record<string, Sql>>;
}

/** Returns the SQL expression of a named value of a {@link RowSlice}'s row. */
export function sliceValueSql(name: string): Sql {
  // No column of a model has a name with this character.
  return `${rowAlias}."#${name}"`;
}

/** SQL of the table with the slice's rows, to be used as the FROM clause for expressions of {@link StagedShapes}. */
export const sliceRowsSql: Sql = `${pageTable} ${rowAlias}`;

/**
 * Transactions in which the SQL of each row loads the row's own related objects, because batches exceeded a size limit.
 */
const transactionsWithoutBatches = new WeakSet<Tx>();

/** Signal that the related objects of a slice of rows together exceed the size limit of one value. */
class SliceTooLongError extends Error {
  override readonly name = 'SliceTooLongError';
}

/**
 * Runs a transaction that reads related objects in batches. If the related objects of a slice of rows exceed the size
 * limit of a value, the transaction is repeated, and the SQL of each row loads the row's own related objects. A
 * savepoint for each slice would slow down the reads of all other transactions: PostgreSQL remembers 64 subtransactions
 * of a transaction.
 *
 * @param run calls `begin` first in its transaction
 */
export async function repeatWithoutBatches<T>(run: (begin: (tx: Tx) => void) => Promise<T>): Promise<T> {
  try {
    return await run(() => undefined);
  } catch (error) {
    if (!(error instanceof SliceTooLongError)) throw error;
    return run((tx) => void transactionsWithoutBatches.add(tx));
  }
}

/**
 * Runs a statement on a slice of rows. Related objects are loaded in batches. Each is loaded once, regardless of the
 * number of rows that refer to it. The transaction must be run by {@link repeatWithoutBatches}.
 *
 * @param build returns the statement that follows the common table expression of {@link sliceRowsSql}: further common
 *   table expressions, beginning with a comma, and the query. `$1` is the base of URLs.
 */
export async function runOnRowSlice<R extends object>(
  tx: Tx,
  shapes: Shapes,
  { model, source, values }: RowSlice,
  build: (forms: StagedShapes) => Sql,
  params: readonly unknown[],
): Promise<R[]> {
  const further = Object.entries(values).map(([name, value]) => `, ${value} AS "#${name}"`);
  const rows = `SELECT ${rowAlias}.*${further.join('')} FROM ${source} AND $1::text IS NOT NULL`;
  const loadsOwn = transactionsWithoutBatches.has(tx);
  const forms = loadsOwn
    ? { full: shapes.fullSql(model), snapshot: shapes.snapshotSql(model) }
    : shapes.sliceSql(model);
  try {
    return (await tx.query<R>(`WITH ${pageTable} AS MATERIALIZED (${rows})${build(forms)}`, [...params])).rows;
  } catch (error) {
    throw isTooLong(error) && !loadsOwn ? new SliceTooLongError('', { cause: error }) : error;
  }
}
