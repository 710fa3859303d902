import type { SqlScope } from '../declaration/field.js';
import type { Sql } from '../sql/pieces.js';

/** The object to find. */
interface Wanted {
  readonly target: { readonly table: string };
  /** Expression of the id. */
  readonly id: Sql;
  /** The text that is made of the row found, given its alias. */
  readonly found: (alias: string) => Sql;
}

/**
 * The text made of the row of a table with an id; null where there is none.
 *
 * @param asking alias of the rows that name the id, if rows of the statement do
 */
export function byId(scope: SqlScope, asking: string | null, { target, id, found }: Wanted): Sql {
  const { together } = scope;
  const alias = scope.alias();
  const from = `FROM ${target.table} ${alias} WHERE ${alias}.id`;
  const shared =
    asking === null
      ? null
      : together?.find(asking, id, (ids) => {
          const rows = `${from} = ANY (${ids})`;
          together.follow(alias, rows);
          return `SELECT ${alias}.id, ${found(alias)} AS value ${rows}`;
        });
  return shared ?? `(SELECT ${found(alias)} ${from} = ${id})`;
}
