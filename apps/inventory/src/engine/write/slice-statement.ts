import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { isTooLong } from '../read/object-pieces.js';
import { pageTable, rowAlias, type Shapes, type StagedShapes } from '../read/shapes.js';
import type { Sql } from '../sql/pieces.js';

/** Rows of one model that a statement reads together. */
export interface Slice {
  readonly model: ModelDefinition;
  /** Tables and condition after `FROM`, with the model's row as `t`. */
  readonly source: Sql;
  /** Expressions of further values of a row, by name; see {@link valueOf}. */
  readonly values: Readonly<Record<string, Sql>>;
}

/** Returns the expression of a further value of a {@link Slice}'s row. */
export function valueOf(name: string): Sql {
  // No column of a model has a name with this character.
  return `${rowAlias}."#${name}"`;
}

/** Table of the rows of a slice, as the FROM clause of an expression of {@link StagedShapes}. */
export const sliceRows: Sql = `${pageTable} ${rowAlias}`;

/** Transactions in which each row loads its own related objects. */
const withoutBatches = new WeakSet<Tx>();

/** Signal that the related objects of a slice are too long together. */
class SliceTooLongError extends Error {
  override readonly name = 'SliceTooLongError';
}

/**
 * Runs a transaction. If the related objects of a slice exceed the size limit of a value, it is repeated, and each row
 * loads its own. A savepoint for each slice would slow down the reads of all other transactions: PostgreSQL remembers 64
 * subtransactions of a transaction.
 *
 * @param run calls `begin` first in its transaction
 */
export async function repeatWithoutBatches<T>(run: (begin: (tx: Tx) => void) => Promise<T>): Promise<T> {
  try {
    return await run(() => undefined);
  } catch (error) {
    if (!(error instanceof SliceTooLongError)) throw error;
    return run((tx) => void withoutBatches.add(tx));
  }
}

/**
 * Runs a statement on the rows of a slice. Related objects are loaded in batches, each once however many rows refer to
 * it. The transaction must be run by {@link repeatWithoutBatches}.
 *
 * @param build returns the statement that follows the common table expression of {@link sliceRows}: further common
 *  table expressions, beginning with a comma, and the query. `$1` is the base of URLs.
 */
export async function runOnSlice<R extends object>(
  tx: Tx,
  shapes: Shapes,
  { model, source, values }: Slice,
  build: (forms: StagedShapes) => Sql,
  params: readonly unknown[],
): Promise<R[]> {
  const further = Object.entries(values).map(([name, value]) => `, ${value} AS "#${name}"`);
  const rows = `SELECT ${rowAlias}.*${further.join('')} FROM ${source} AND $1::text IS NOT NULL`;
  const loadsOwn = withoutBatches.has(tx);
  const forms = loadsOwn ? { full: shapes.full(model), snapshot: shapes.snapshot(model) } : shapes.ofSlice(model);
  try {
    return (await tx.query<R>(`WITH ${pageTable} AS MATERIALIZED (${rows})${build(forms)}`, [...params])).rows;
  } catch (error) {
    throw isTooLong(error) && !loadsOwn ? new SliceTooLongError('', { cause: error }) : error;
  }
}
