import type { RealmExportContext } from '../worker/export-stage.js';

/** A database column that orders the rows of an exported table when the table is read in pages. */
export interface ExportedTableKeyColumn {
  readonly sql: string;
  readonly type: 'int' | 'bigint' | 'text';
}

/**
 * SQL that reads database rows for an exported table in pages. The SQL parameters are: `$1` realm id; `$2` ids of the
 * consenting accounts; `$3` true for a public export; `$4` JSON values computed by the service; `$5` export id.
 */
export interface ExportedTableRowSource {
  /** SQL expression that builds the JSON object of an exported row. */
  readonly row: string;
  /** SQL FROM and WHERE clauses that select the rows to export. */
  readonly from: string;
  /** Columns that identify an exported row and order the exported rows. */
  readonly key: readonly [ExportedTableKeyColumn, ...ExportedTableKeyColumn[]];
  /** True if the database rows have no id. In the archive, the `id` of each row is a running number. */
  readonly isNumbered?: boolean;
}

/**
 * A table of the file `realm.json`. The rows of the table are read from one or more database sources, or are returned
 * by a function.
 */
export interface ExportedTable {
  readonly name: string;
  readonly sources?: readonly ExportedTableRowSource[];
  readonly rows?: (context: RealmExportContext) => Promise<readonly object[]>;
}

/** Returns the key columns of an exported table whose rows are ordered by one integer column. */
export const createIntegerKeyColumns = (sql: string): readonly [ExportedTableKeyColumn] => [{ sql, type: 'int' }];
