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

/**
 * Runs a statement on the rows of a slice. Related objects are loaded in batches, each once however many rows refer to
 * it. If a batch exceeds the size limit of a value, each row loads its own.
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
  const run = async (forms: StagedShapes): Promise<R[]> => {
    const text = `WITH ${pageTable} AS MATERIALIZED (${rows})${build(forms)}`;
    return (await tx.query<R>(text, [...params])).rows;
  };
  await tx.query('SAVEPOINT batches');
  try {
    const found = await run(shapes.ofSlice(model));
    await tx.query('RELEASE SAVEPOINT batches');
    return found;
  } catch (error) {
    if (!isTooLong(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT batches');
    return run({ full: shapes.full(model), snapshot: shapes.snapshot(model) });
  }
}
