import type { Tx } from '@switchboard/database';

const maxRowsPerInsertStatement = 1_000;
const maxBytesPerInsertBatch = 4 * 1024 * 1024;

/** Names of the table columns that an insertion writes, each with its SQL type. */
export type SqlTypesOfInsertedColumns = Readonly<Record<string, string>>;

/**
 * Inserts rows into a table, at most 1,000 in one statement. Inserts null into the columns that a row does not have.
 *
 * @param options.skipsDuplicates true to ignore rows whose key exists in the table
 * @returns the number of inserted rows
 */
export async function insertImportedRows(
  tx: Tx,
  table: string,
  columns: SqlTypesOfInsertedColumns,
  rows: readonly Readonly<Record<string, unknown>>[],
  options: { readonly skipsDuplicates?: boolean } = {},
): Promise<number> {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')}
    FROM json_to_recordset($1::json) AS sent(${typed.join(', ')})
    ${options.skipsDuplicates === true ? 'ON CONFLICT DO NOTHING' : ''}`;
  let inserted = 0;
  for (const batch of divideJsonTextsIntoBatches(rows.map((row) => JSON.stringify(row)))) {
    inserted += (await tx.query(sql, [`[${batch.join(',')}]`])).rowCount;
  }
  return inserted;
}

/** Divides JSON texts into batches, and yields the batches. A batch has at most 1,000 texts and about 4 MB. */
function* divideJsonTextsIntoBatches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    if (
      batch.length > 0 &&
      (batch.length >= maxRowsPerInsertStatement || bytes + text.length > maxBytesPerInsertBatch)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(text);
    bytes += text.length;
  }
  if (batch.length > 0) yield batch;
}
