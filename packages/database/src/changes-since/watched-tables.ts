import type { Tx } from '../transaction-interface.js';

/**
 * A database table whose changes are recorded under the number of a data model. Several tables can belong to one model.
 */
export interface ChangeRecordedTable {
  readonly table: string;
  /** Small integer that identifies the data model of the table within the app. */
  readonly model: number;
  /**
   * Names of columns that no response contains, such as the time at which a token was last used. An update of only
   * these columns is not recorded.
   */
  readonly ignoredColumns?: readonly string[];
}

interface ChangeTriggerRow {
  name: string;
  enabled: string | null;
  kind: number | null;
  model: string | null;
  columns: string[] | null;
  expected: string[] | null;
}

/**
 * Value of the bits of `pg_trigger.tgtype` for triggers that run AFTER each INSERT, DELETE, UPDATE and TRUNCATE
 * statement.
 */
const statementTriggerTypeBits = 4 | 8 | 16 | 32;

const selectChangeTriggersSql = `SELECT w.name, t.tgenabled AS enabled, t.tgtype AS kind,
    convert_from(rtrim(t.tgargs, '\\x00'), 'UTF8') AS model,
    (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute WHERE attrelid = t.tgrelid
      AND attnum = ANY (t.tgattr::int2[])) AS columns,
    (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = to_regclass(w.name) AND attnum > 0 AND NOT attisdropped) AS expected
  FROM unnest($1::text[]) WITH ORDINALITY w(name, n)
  LEFT JOIN pg_trigger t ON t.tgrelid = to_regclass(w.name) AND t.tgname = 'model_change'
    AND t.tgfoid = to_regproc('changes.record_change')
  ORDER BY w.n`;

function findChangeTriggerFault(
  { model, ignoredColumns = [] }: ChangeRecordedTable,
  row: ChangeTriggerRow | undefined,
): string | undefined {
  if (row === undefined || row.enabled === null) return 'has no trigger model_change';
  if (row.enabled !== 'A') return 'has a trigger that is not ENABLE ALWAYS';
  if (row.kind !== statementTriggerTypeBits) return 'has a trigger that misses some statements';
  if (row.model !== String(model)) return `has a trigger for model ${row.model} instead of ${model}`;
  const expected = ignoredColumns.length === 0 ? [] : row.expected?.filter((name) => !ignoredColumns.includes(name));
  const columns = row.columns ?? [];
  if (columns.join() === (expected ?? []).join()) return undefined;
  return `has a trigger for the columns ${columns.join(', ')} instead of ${(expected ?? []).join(', ')}`;
}

/**
 * Compares the triggers in the database with the triggers that the recorded tables need. Returns one line of text for
 * each difference.
 */
export async function findChangeTriggerFaults(tx: Tx, tables: readonly ChangeRecordedTable[]): Promise<string[]> {
  const { rows } = await tx.query<ChangeTriggerRow>(selectChangeTriggersSql, [tables.map(({ table }) => table)]);
  return tables.flatMap((table, n) => {
    const fault = findChangeTriggerFault(table, rows[n]);
    return fault === undefined ? [] : [`${table.table} ${fault}`];
  });
}
