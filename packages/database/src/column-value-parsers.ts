import pg from 'pg';

const { builtins, getTypeParser } = pg.types;

/** PostgreSQL type ids of array types for which `pg` has no names (PostgreSQL catalog pg_type). */
const int8ArrayTypeId: number = 1016;
const textArrayTypeId: number = 1009;

/**
 * Parses the text of an int8.
 *
 * @throws RangeError when a JavaScript number cannot represent the value exactly
 */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database returned ${text}, which no number represents exactly`);
  return value;
}

const parsePostgresTextArray: (text: string) => string[] = getTypeParser(textArrayTypeId);

const columnValueParserByTypeId: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: parseInt8,
  [int8ArrayTypeId]: (text) => parsePostgresTextArray(text).map(parseInt8),
  // Dates stay text: a `Date` would be midnight in the time zone of the process.
  [builtins.DATE]: (text) => text,
};

/**
 * Parsers of column values for this package's connection pools, as `types` of a `pg` configuration. Prisma uses its own
 * parsers.
 */
export const columnValueParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : columnValueParserByTypeId[oid]) ?? getTypeParser(oid, format),
};
