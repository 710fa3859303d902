import type { SqlText } from '../sql/json-text-sql.js';
import { createJoinClause, createOrderClause, reverseSortKeys, type ListOrderByReference } from './list-ordering.js';
import { objectRowAlias } from './object-json-sql.js';

/** SQL expressions for the LIMIT and OFFSET of a page. */
export interface PageLimitAndOffsetSql {
  readonly limit: SqlText;
  readonly offset: SqlText;
}

/** Returns the opposite of a sort order by a reference. */
export function reverseOrderByReference(order: ListOrderByReference): ListOrderByReference {
  const [id = order.id] = reverseSortKeys([order.id]);
  return { ...order, keys: reverseSortKeys(order.keys), id };
}

/**
 * Returns an SQL array expression of the ids on a page at a large offset of an unfiltered list that is sorted by a
 * reference. An index shows how many rows refer to each target object. The rows of targets that end before the page are
 * skipped as a whole, and only the rows of targets on the page are sorted.
 *
 * @param table table of the list's rows
 */
export function createReferenceSortedIdsSql(
  table: SqlText,
  order: ListOrderByReference,
  { limit, offset }: PageLimitAndOffsetSql,
): SqlText {
  const { column, isNullable, joins, keys, id } = order;
  const byTarget = createOrderClause(keys);
  // Targets with equal keys, such as VRFs of one name, are sorted together by the ids of their rows.
  const counted = `SELECT ${column} AS target, ${objectRowAlias}.n,
      sum(${objectRowAlias}.n) OVER (${byTarget} RANGE UNBOUNDED PRECEDING) AS through,
      sum(${objectRowAlias}.n) OVER (${byTarget} RANGE CURRENT ROW) AS peers
    FROM (SELECT ${column}, count(*)::int AS n FROM ${table} ${objectRowAlias} GROUP BY ${column}) ${objectRowAlias}${createJoinClause(joins)}`;
  // `ahead` is the number of rows between the first row of a target and its peers, and the page. Rows of a target
  // without peers are skipped in its index.
  const chosen = `SELECT c.target, c.through, c.ahead, CASE WHEN c.n = c.peers THEN greatest(0, c.ahead) ELSE 0 END AS skipped
    FROM (SELECT counted.*, page.first - through + peers AS ahead
      FROM counted, (SELECT (${offset})::bigint AS first OFFSET 0) page WHERE through > page.first) c
    WHERE c.ahead > -(${limit})`;
  const rowsWhere = (condition: SqlText): SqlText =>
    `(SELECT ${objectRowAlias}.id FROM ${table} ${objectRowAlias} WHERE ${condition} ${createOrderClause([id])}
      LIMIT ${limit} + c.ahead - c.skipped OFFSET c.skipped)`;
  const withoutTarget = isNullable ? ` UNION ALL ${rowsWhere(`c.target IS NULL AND ${column} IS NULL`)}` : '';
  return `(WITH counted AS MATERIALIZED (${counted}), chosen AS MATERIALIZED (${chosen})
    SELECT ARRAY(SELECT ${objectRowAlias}.id
      FROM chosen c CROSS JOIN LATERAL (${rowsWhere(`${column} = c.target`)}${withoutTarget}) ${objectRowAlias}
      ORDER BY c.through, ${objectRowAlias}.id${id.descending ? ' DESC' : ''}
      LIMIT ${limit} OFFSET (SELECT max(greatest(0, ahead) - skipped) FROM chosen)))`;
}
