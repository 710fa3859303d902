import { getRealmRow } from '../../../core/realms/index.js';
import { exportedTables } from '../tables/index.js';
import type { ExportedTable, ExportedTableRowSource } from '../tables/exported-table.js';
import { createExportSettingsParameter } from '../tables/exported-setting-values.js';
import { archiveEntryNumbers, type RealmExportContext, type ExportStage } from './export-stage.js';

/** Number of table rows that one statement reads for the export. */
const tableRowsPerRead = 2_000;

/** Number of exported table rows after which an export step ends. */
const tableRowsPerStep = 100_000;

/** Name of the archive file with all tables except messages. */
const realmJsonName = 'realm.json';

/**
 * Position in the export of tables: index of the table, index of the table's source, and key of the last row. The key
 * is null before the first row.
 */
interface TablesExportPosition {
  readonly table: number;
  readonly source: number;
  readonly key: readonly (string | number)[] | null;
}

const tablesStartPosition: TablesExportPosition = { table: 0, source: 0, key: null };

/**
 * Export stage that writes `realm.json`. One export step writes several small tables, while a large table takes several
 * steps.
 */
export const tablesExportStage: ExportStage = {
  async run(context, cursor) {
    const walk = new ExportedTablesReader(context, (cursor ?? tablesStartPosition) as TablesExportPosition);
    const part = await context.parts.write(archiveEntryNumbers.realm, realmJsonName, walk.readTablesJson());
    return { parts: [part], cursor: walk.next, counts: walk.counts };
  },
};

/** Reads rows of the exported tables from a start position until the export step has enough rows. */
class ExportedTablesReader {
  /** Position at which the next export step begins; null after the last table. */
  next: TablesExportPosition | null;
  readonly counts: Record<string, number>;
  #rows = 0;
  #values: readonly unknown[] = [];

  constructor(
    private readonly context: RealmExportContext,
    start: TablesExportPosition,
  ) {
    this.next = start;
    this.counts = { ...context.counts };
  }

  async *readTablesJson(): AsyncGenerator<string> {
    const { database, realmId, consentingIds, isPublic, exportId } = this.context;
    const values = createExportSettingsParameter((await getRealmRow(database, realmId)).userSettingsDefaults);
    this.#values = [realmId, consentingIds, isPublic, JSON.stringify(values), exportId];
    while (this.next !== null && this.#rows < tableRowsPerStep) {
      const table = exportedTables[this.next.table];
      if (table === undefined) {
        yield `,"import_source":"zulip"}`;
        this.next = null;
      } else {
        yield* this.#continueTable(table, this.next);
      }
    }
  }

  async *#continueTable(table: ExportedTable, at: TablesExportPosition): AsyncGenerator<string> {
    if (at.source === 0 && at.key === null) yield `${at.table === 0 ? '{' : ','}${JSON.stringify(table.name)}:[`;
    const source = table.sources?.[at.source];
    if (source !== undefined) {
      const page = await this.#readPage(table, source, at.key);
      if (page.text !== null) yield this.#withSeparator(table, page.text, page.count);
      const isRead = page.count < tableRowsPerRead;
      this.next = isRead ? { ...at, source: at.source + 1, key: null } : { ...at, key: page.key };
      // A table whose last source is read is closed now, so that no step begins with the end of a table.
      if (!isRead || table.sources?.[at.source + 1] !== undefined) return;
    } else if (table.rows !== undefined) {
      const rows = await table.rows({ ...this.context, counts: this.counts });
      if (rows.length > 0)
        yield this.#withSeparator(table, rows.map((row) => JSON.stringify(row)).join(','), rows.length);
    }
    yield ']';
    this.next = { table: at.table + 1, source: 0, key: null };
  }

  #withSeparator({ name }: ExportedTable, text: string, count: number): string {
    const before = this.counts[name] ?? 0;
    this.counts[name] = before + count;
    this.#rows += count;
    return before === 0 ? text : `,${text}`;
  }

  async #readPage(
    { name }: ExportedTable,
    source: ExportedTableRowSource,
    after: TablesExportPosition['key'],
  ): Promise<{ text: string | null; count: number; key: readonly (string | number)[] | null }> {
    const offset = source.isNumbered === true ? (this.counts[name] ?? 0) : null;
    const { rows } = await this.context.database.query<{
      text: string | null;
      count: number;
      key: (string | number)[] | null;
    }>(createExportedTablePageSql(source, after !== null), [
      ...this.#values,
      tableRowsPerRead,
      offset,
      ...(after ?? []),
    ]);
    return rows[0] ?? { text: null, count: 0, key: null };
  }
}

/**
 * Returns SQL that reads the next page of an exported table's rows as one text. A separate condition on the first key
 * column lets PostgreSQL use an index. The last expression refers to every parameter, because PostgreSQL rejects unused
 * parameters.
 */
function createExportedTablePageSql({ row, from, key }: ExportedTableRowSource, isContinued: boolean): string {
  const columns = key.map(({ sql }) => sql).join(', ');
  const names = key.map((_column, index) => `k${index}`);
  const values = key.map(({ type }, index) => `$${index + 8}::${type}`);
  const [first] = key;
  const continued = isContinued ? ` AND ${first.sql} >= ${values[0]} AND (${columns}) > (${values.join(', ')})` : '';
  return `
    SELECT string_agg(CASE WHEN $7::bigint IS NULL THEN page.row ELSE
        '{"id":' || $7::bigint + page.n || ',' || substr(page.row, 2) END, ',' ORDER BY page.n) AS text,
      count(*)::int AS count,
      (array_agg(json_build_array(${names.join(', ')}) ORDER BY page.n DESC))[1] AS key,
      num_nulls($1::int, $2::int[], $3::boolean, $4::jsonb, $5::int) AS parameters
    FROM (
      SELECT (${row})::text AS row, row_number() OVER (ORDER BY ${columns}) AS n,
        ${key.map(({ sql }, index) => `${sql} AS k${index}`).join(', ')}
      FROM ${from}${continued} ORDER BY ${columns} LIMIT $6::int) page`;
}
