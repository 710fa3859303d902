/** Type of objects that run SQL queries: a connection or pool of `pg`, or a `Database`. */
interface Queryable {
  query(sql: string): Promise<{ rows: unknown[] }>;
}

/**
 * Lists the foreign keys of a database that have no suitable index, as `table(column, ...)`, sorted. An index is
 * suitable if the index begins with the columns of the foreign key in any order. A partial index is suitable only if
 * its condition excludes nothing but NULL.
 */
export async function listUnindexedForeignKeys(database: Queryable): Promise<string[]> {
  const { rows } = await database.query(`
    SELECT format('%s(%s)', k.conrelid::regclass, (
      SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey))) AS key
    FROM pg_constraint k
    WHERE k.contype = 'f' AND NOT EXISTS (
      SELECT 1 FROM pg_index i
      WHERE i.indrelid = k.conrelid AND i.indisvalid
        AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
        AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = (
          SELECT format('(%I IS NOT NULL)', a.attname) FROM pg_attribute a
          WHERE a.attrelid = k.conrelid AND a.attnum = k.conkey[1])))
    ORDER BY key`);
  return rows.map((row) => String((row as { key: string }).key));
}
