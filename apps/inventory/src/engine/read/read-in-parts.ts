import type { OpenTx } from '@switchboard/database';
import type { Sql } from '../sql/pieces.js';
import { prepared } from '../sql/statement.js';

/** Rows fetched at a time. With {@link partBytes} they bound the memory of a fetch to some 30 MB. */
const fetchedRows = 64;

/** Bytes from which on the text of an object is read in parts of this size. */
const partBytes = 131_072;

/** A piece of the JSON text of an object. */
export interface ObjectPiece {
  readonly id: number;
  /** True for the first piece of an object. */
  readonly isFirst: boolean;
  /** The whole text, or a part of it in bytes. */
  readonly content: string | Buffer;
}

/** Properties of the whole list, which each row of the cursor repeats. */
export interface ListFacts {
  readonly count: number;
  /** Results of the checks of filters; null without any. */
  readonly missing: string[] | null;
}

/** A statement that is read through a cursor. */
export interface ReadingInParts {
  /** The WITH clause that the other parts read; empty without any. */
  readonly tables: Sql;
  /** `SELECT` of the JSON text `item` and the `id` of each object, in order. */
  readonly objects: Sql;
  /** Expression of the number of all objects of the list. */
  readonly count: Sql;
  /** Expression of the results of the checks of filters. */
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
 * Reads objects through a cursor, some rows at a time, and long objects in parts: however long the list is, only a part
 * of it is in memory, and the texts of no object or list reach the largest string that the driver can make.
 *
 * @param take receives the pieces of each fetch, in order, and decides when the next fetch begins
 */
export async function readInParts(
  tx: OpenTx,
  reading: ReadingInParts,
  take: (pieces: readonly ObjectPiece[], facts: ListFacts) => Promise<void>,
): Promise<ListFacts> {
  // All rows are wanted, not the first ones as soon as possible.
  await tx.query('SET LOCAL cursor_tuple_fraction = 1');
  await tx.query({ text: cursorStatement(reading), values: [...reading.values] });
  let facts: ListFacts = { count: 0, missing: null };
  for (;;) {
    const { rows } = await tx.query<CursorRow>(prepared(`FETCH ${fetchedRows} FROM objects`, []));
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
 * `OFFSET 0` keeps PostgreSQL from computing the text of an object once for each part of it. Parts are bytes: to find a
 * character in a long text, PostgreSQL counts from its beginning.
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
