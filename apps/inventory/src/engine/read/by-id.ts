import type { SqlScope } from '../declaration/field.js';
import type { Sql } from '../sql/pieces.js';

/** The object to load. */
interface Requested {
  readonly target: { readonly table: string };
  /** Expression of the id. */
  readonly id: Sql;
  /** Returns the text expression of a found row, given its alias. */
  readonly found: (alias: string) => Sql;
}

/**
 * Returns the text expression for the row of a table with a given id; null if it does not exist.
 *
 * @param asking alias of the rows that have the id, so that it can be loaded in batches; null if the id is not a column
 * of rows
 */
export function byId(scope: SqlScope, asking: string | null, { target, id, found }: Requested): Sql {
  const { batchLookup } = scope;
  const alias = scope.alias();
  const from = `FROM ${target.table} ${alias} WHERE ${alias}.id`;
  const shared =
    asking === null
      ? null
      : batchLookup?.load(asking, id, (ids) => {
          const rows = `${from} = ANY (${ids})`;
          batchLookup.nest(alias, rows);
          return `SELECT ${alias}.id, ${found(alias)} AS value ${rows}`;
        });
  return shared ?? `(SELECT ${found(alias)} ${from} = ${id})`;
}
