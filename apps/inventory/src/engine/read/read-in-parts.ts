import type { OpenTx } from '@switchboard/database';
import type { Sql } from '../sql/pieces.js';
import { preparedQuery } from '../sql/statement.js';

/**
 * Number of rows that one fetch reads from the cursor. Together with {@link partBytes} it limits the memory of a fetch
 * to about 30 MB.
 */
const fetchedRows = 64;

/** Maximum size in bytes of a part of an object. Longer objects are read in several parts. */
const partBytes = 131_072;

/** A piece of the JSON text of an object. */
export interface ObjectPiece {
  readonly id: number;
  /** True for the first piece of each object. */
  readonly isFirst: boolean;
  /** The whole JSON text of an object, or some bytes of a long text. */
  readonly content: string | Buffer;
}

/** Properties of the whole list, such as its count. Each row of the database cursor repeats them. */
export interface ListFacts {
  readonly count: number;
  /** Positions of filter values that name no object, one result for each check; null if there are no checks. */
  readonly missing: string[] | null;
}

/** Parts of an SQL statement that is read through a database cursor. */
export interface ReadingInParts {
  /** WITH clause that the other parts of the statement use; '' for none. */
  readonly tables: Sql;
  /** `SELECT` of each object's JSON text (`item`) and `id`, in the order of the list. */
  readonly objects: Sql;
  /** SQL expression of the number of all matching rows. */
  readonly count: Sql;
  /** SQL expression of the results of the checks that filter values name objects. */
  readonly checks: Sql;
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
 * Reads objects through a database cursor, a few rows at a time, and long objects in parts. Only a part of the list is
 * in memory at any time. No text reaches the maximum string length of the database driver.
 *
 * @param take receives the pieces of each fetch, in order; the next fetch begins when it resolves
 */
export async function readInParts(
  tx: OpenTx,
  reading: ReadingInParts,
  take: (pieces: readonly ObjectPiece[], facts: ListFacts) => Promise<void>,
): Promise<ListFacts> {
  // All rows are needed, so that the plan must not favour a fast start.
  await tx.query('SET LOCAL cursor_tuple_fraction = 1');
  await tx.query({ text: cursorStatement(reading), values: [...reading.values] });
  let facts: ListFacts = { count: 0, missing: null };
  for (;;) {
    const { rows } = await tx.query<CursorRow>(preparedQuery(`FETCH ${fetchedRows} FROM objects`, []));
    const [first] = rows;
    if (first !== undefined) facts = { count: Number(first[0]), missing: first[1] };
    await take(rows.flatMap(pieceOf), facts);
    if (rows.length < fetchedRows) return facts;
  }
}

function pieceOf([, , id, item, at, part]: CursorRow): ObjectPiece[] {
  const content = item ?? part;
  return id === null || content === null ? [] : [{ id, isFirst: at === 1, content }];
}

/**
 * Returns the SQL statement that declares the cursor. `OFFSET 0` prevents PostgreSQL from computing an object's text
 * once for each part. Parts are measured in bytes, because a position in characters is found by counting from the start
 * of the text.
 */
function cursorStatement({ tables, objects, count, checks }: ReadingInParts): Sql {
  const isLong = `octet_length(i.item) > ${partBytes}`;
  return `DECLARE objects NO SCROLL CURSOR FOR
    ${tables}SELECT f.n, f.missing, p.id, p.item, p.at, p.part
    FROM (SELECT ${count} AS n, ${checks} AS missing WHERE $1::text IS NOT NULL) f
    LEFT JOIN LATERAL (
      SELECT c.id, c.item, o.at, substring(c.bytes FROM o.at FOR ${partBytes}) AS part
      FROM (SELECT i.id, CASE WHEN NOT ${isLong} THEN i.item END AS item,
          CASE WHEN ${isLong} THEN convert_to(i.item, 'UTF8') END AS bytes
        FROM (${objects} OFFSET 0) i OFFSET 0) c
      CROSS JOIN LATERAL generate_series(1, greatest(1, coalesce(octet_length(c.bytes), 1)), ${partBytes}) AS o (at)
    ) p ON true`;
}
