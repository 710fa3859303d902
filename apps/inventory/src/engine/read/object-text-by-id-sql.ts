import type { StatementSqlScope } from '../declaration/field.js';
import type { SqlText } from '../sql/json-text-sql.js';

/** An object from whose row an SQL statement computes a text. The object is given by its id. */
interface ObjectOfComputedText {
  readonly target: { readonly table: string };
  /** SQL expression of the id of the requested object. */
  readonly id: SqlText;
  /** Returns the SQL expression of the text to compute, given the SQL alias of the requested object's row. */
  readonly found: (alias: string) => SqlText;
}

/**
 * Returns the SQL expression of a text that is computed from the row with a given id; null if the row does not exist.
 *
 * @param asking table alias of the rows with the id column, so that their objects can be loaded in batches; null if the
 * id is not a column
 */
export function createTextByIdSql(
  scope: StatementSqlScope,
  asking: string | null,
  { target, id, found }: ObjectOfComputedText,
): SqlText {
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
