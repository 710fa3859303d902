import { storedDigestColumnAlias } from './encrypted-column-values.js';
import type { RowTextsByColumn, EncryptedColumn, SecretsQueryExecutor } from './stored-secrets.js';

/** A row and the new text for one of its columns. */
export interface EncryptedRowUpdate {
  readonly row: RowTextsByColumn;
  readonly text: string;
}

/** Maximum number of rows with encrypted texts that one statement reads or changes. */
const encryptedRowsPerBatch = 500;

/**
 * Reads the rows of a column with encrypted texts in batches, in the order of the primary key. Only one batch is in
 * memory at a time.
 */
export async function* readEncryptedRowsInBatches(
  database: SecretsQueryExecutor,
  column: EncryptedColumn,
): AsyncGenerator<readonly RowTextsByColumn[]> {
  const names = Object.keys(column.primaryKey);
  const list = names.map((name) => `t.${name}`).join(', ');
  let after: string[] | null = null;
  for (;;) {
    const placeholders = names.map((name, index) => `$${index + 1}::${column.primaryKey[name] ?? ''}`).join(', ');
    const conditions: string[] = [
      ...(after === null ? [] : [`(${list}) > (${placeholders})`]),
      ...(column.where === undefined ? [] : [`(${column.where})`]),
    ];
    const { rows }: { readonly rows: RowTextsByColumn[] } = await database.query<RowTextsByColumn>(
      `SELECT ${createEncryptedColumnListSql(column)} FROM ${column.table} t
        ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`} ORDER BY ${list} LIMIT ${encryptedRowsPerBatch}`,
      after ?? [],
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < encryptedRowsPerBatch) return;
    after = names.map((name) => last[name] ?? '');
  }
}

/**
 * Locks rows in the order of the primary key, and returns the current values of these rows. The result omits rows that
 * were deleted meanwhile.
 */
export async function lockEncryptedRows(
  tx: SecretsQueryExecutor,
  column: EncryptedColumn,
  rows: readonly RowTextsByColumn[],
): Promise<readonly RowTextsByColumn[]> {
  const { from, matches, values } = createChangedRowsSql(column, rows);
  const order = Object.keys(column.primaryKey).map((name) => `t.${name}`);
  const locked = await tx.query<RowTextsByColumn>(
    `SELECT ${createEncryptedColumnListSql(column)} FROM ${column.table} t JOIN ${from} ON ${matches}
      ${column.where === undefined ? '' : `WHERE (${column.where})`} ORDER BY ${order.join(', ')} FOR NO KEY UPDATE OF t`,
    values,
  );
  return locked.rows;
}

/** Writes new encrypted values of a column in rows that the transaction has locked. */
export async function updateEncryptedColumnValues(
  tx: SecretsQueryExecutor,
  column: EncryptedColumn,
  changes: readonly EncryptedRowUpdate[],
): Promise<void> {
  await updateEncryptedRows(tx, column, changes, `${column.column} = changed.text::${column.json?.type ?? 'text'}`);
}

/**
 * Writes new digests, and the number of the pepper with which they were computed, in rows that the transaction has
 * locked.
 */
export async function updateStoredDigests(
  tx: SecretsQueryExecutor,
  column: EncryptedColumn,
  { changes, pepperId }: { readonly changes: readonly EncryptedRowUpdate[]; readonly pepperId: number },
): Promise<void> {
  const { digest } = column;
  if (digest === undefined) return;
  const pepperSql = digest.pepperIdColumn === undefined ? '' : `, ${digest.pepperIdColumn} = ${pepperId}`;
  await updateEncryptedRows(tx, column, changes, `${digest.column} = changed.text${pepperSql}`);
}

/**
 * Clears or deletes rows whose encrypted text is lost, in the way that the column defines. Does nothing for a column
 * that defines no such change.
 */
export async function removeRowsWithLostText(
  tx: SecretsQueryExecutor,
  column: EncryptedColumn,
  rows: readonly RowTextsByColumn[],
): Promise<void> {
  const { whenLost, digest } = column;
  if (rows.length === 0 || whenLost === undefined) return;
  const texts = { text: rows.map((row) => row[column.column] ?? '') };
  const { from, matches, values } = createChangedRowsSql(column, rows, texts);
  const cleared = [column.column, digest?.column, digest?.pepperIdColumn].filter((name) => name !== undefined);
  const isUnchanged = `${matches} AND t.${column.column} = changed.text`;
  await tx.query(
    whenLost === 'delete'
      ? `DELETE FROM ${column.table} t USING ${from} WHERE ${isUnchanged}`
      : `UPDATE ${column.table} t SET ${cleared.map((name) => `${name} = NULL`).join(', ')} FROM ${from} WHERE ${isUnchanged}`,
    values,
  );
}

async function updateEncryptedRows(
  tx: SecretsQueryExecutor,
  column: EncryptedColumn,
  changes: readonly EncryptedRowUpdate[],
  assignments: string,
): Promise<void> {
  // Caches of other processes react to each UPDATE, even of no row.
  if (changes.length === 0) return;
  const texts = changes.map(({ text }) => text);
  const { from, matches, values } = createChangedRowsSql(
    column,
    changes.map(({ row }) => row),
    { text: texts },
  );
  await tx.query(`UPDATE ${column.table} t SET ${assignments} FROM ${from} WHERE ${matches}`, values);
}

/**
 * Returns SQL for an UPDATE or DELETE of many rows. The FROM item `changed` contains the primary keys of the rows and
 * additional texts. The condition joins `changed` with the table `t`.
 */
function createChangedRowsSql(
  { primaryKey }: EncryptedColumn,
  rows: readonly RowTextsByColumn[],
  texts: Readonly<Record<string, readonly string[]>> = {},
): { readonly from: string; readonly matches: string; readonly values: unknown[] } {
  const names = Object.keys(primaryKey);
  const types = [...Object.values(primaryKey), ...Object.keys(texts).map(() => 'text')];
  const columns = [...names.map((name) => `key_${name}`), ...Object.keys(texts)];
  return {
    from: `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')}) AS changed (${columns.join(', ')})`,
    matches: names.map((name) => `t.${name} = changed.key_${name}`).join(' AND '),
    values: [...names.map((name) => rows.map((row) => row[name])), ...Object.values(texts)],
  };
}

function createEncryptedColumnListSql({ primaryKey, column, purposeColumns = [], digest }: EncryptedColumn): string {
  const names = new Set([...Object.keys(primaryKey), ...purposeColumns, column]);
  return [
    ...[...names].map((name) => `t.${name}::text AS ${name}`),
    ...(digest === undefined ? [] : [`t.${digest.column}::text AS "${storedDigestColumnAlias}"`]),
  ].join(', ');
}
