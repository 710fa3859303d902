import type { OpenTx } from '@switchboard/database';
import type { SqlText } from '../sql/json-text-sql.js';
import { createPreparedQuery } from '../sql/parameterized-statement.js';

/**
 * Number of rows that one fetch reads from a database cursor. Together with {@link maxFragmentBytes}, the number limits
 * the memory of a fetch to about 30 MB.
 */
const rowsPerCursorFetch = 64;

/**
 * Maximum size, in bytes, of one fragment of an object's JSON. If the JSON is longer, it is read in several fragments.
 */
const maxFragmentBytes = 131_072;

/** A fragment of the JSON text of an object, or the whole text. */
export interface JsonFragment {
  readonly id: number;
  /** True if the fragment is the first fragment of an object. */
  readonly isFirst: boolean;
  /** The whole JSON text of an object, or a part of the bytes of a long JSON text. */
  readonly content: string | Buffer;
}

/** Properties of a whole list, such as its count, which every row from the database cursor contains. */
export interface ListSummaryInCursorRow {
  readonly count: number;
  /**
   * Positions of filter values that name no object: one result for each check of filter values. Null if there are no
   * checks.
   */
  readonly missing: string[] | null;
}

/** SQL clauses of a statement that is read through a database cursor. */
export interface DatabaseCursorSqlClauses {
  /** SQL WITH clause whose tables the other clauses use; '' if there is no such clause. */
  readonly tables: SqlText;
  /** SQL query that returns the JSON text (column `item`) and the `id` of each object, in the order of the list. */
  readonly objects: SqlText;
  /** SQL expression of the number of all rows that match the list's filters. */
  readonly count: SqlText;
  /** SQL expression of the results of the checks that each filter value names an existing object. */
  readonly checks: SqlText;
  readonly values: readonly unknown[];
}

type CursorRow = [
  count: number,
  missing: string[] | null,
  id: number | null,
  item: string | null,
  at: number | null,
  part: Buffer | null,
];

/**
 * Reads the JSON of objects through a database cursor: a few rows at a time, and long JSON in fragments. Only a few
 * rows of the list are in memory at any time. No text reaches the maximum string length of the database driver.
 *
 * @param take receives the fragments of each fetch, in order; the next fetch begins when the promise that `take`
 *   returns resolves
 */
export async function readWithCursor(
  tx: OpenTx,
  reading: DatabaseCursorSqlClauses,
  take: (pieces: readonly JsonFragment[], facts: ListSummaryInCursorRow) => Promise<void>,
): Promise<ListSummaryInCursorRow> {
  // All rows are needed, so that the plan must not favour a fast start.
  await tx.query('SET LOCAL cursor_tuple_fraction = 1');
  await tx.query({ text: createDeclareCursorSql(reading), values: [...reading.values] });
  let facts: ListSummaryInCursorRow = { count: 0, missing: null };
  for (;;) {
    const { rows } = await tx.query<CursorRow>(createPreparedQuery(`FETCH ${rowsPerCursorFetch} FROM objects`, []));
    const [first] = rows;
    if (first !== undefined) facts = { count: Number(first[0]), missing: first[1] };
    await take(rows.flatMap(listJsonFragmentsOfRow), facts);
    if (rows.length < rowsPerCursorFetch) return facts;
  }
}

function listJsonFragmentsOfRow([, , id, item, at, part]: CursorRow): JsonFragment[] {
  const content = item ?? part;
  return id === null || content === null ? [] : [{ id, isFirst: at === 1, content }];
}

/**
 * Returns the SQL statement that declares a database cursor for the fragments of objects. `OFFSET 0` in the SQL
 * prevents PostgreSQL from computing an object's text once for each fragment. Fragments are measured in bytes, because
 * finding a position in characters requires counting from the start of the text.
 */
function createDeclareCursorSql({ tables, objects, count, checks }: DatabaseCursorSqlClauses): SqlText {
  const isLong = `octet_length(i.item) > ${maxFragmentBytes}`;
  return `DECLARE objects NO SCROLL CURSOR FOR
    ${tables}SELECT f.n, f.missing, p.id, p.item, p.at, p.part
    FROM (SELECT ${count} AS n, ${checks} AS missing WHERE $1::text IS NOT NULL) f
    LEFT JOIN LATERAL (
      SELECT c.id, c.item, o.at, substring(c.bytes FROM o.at FOR ${maxFragmentBytes}) AS part
      FROM (SELECT i.id, CASE WHEN NOT ${isLong} THEN i.item END AS item,
          CASE WHEN ${isLong} THEN convert_to(i.item, 'UTF8') END AS bytes
        FROM (${objects} OFFSET 0) i OFFSET 0) c
      CROSS JOIN LATERAL generate_series(1, greatest(1, coalesce(octet_length(c.bytes), 1)), ${maxFragmentBytes}) AS o (at)
    ) p ON true`;
}
