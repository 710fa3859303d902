import type { ExportContext } from '../worker/export-stage.js';

/** A column by which an exported table is read in pages. */
export interface KeyColumn {
  readonly sql: string;
  readonly type: 'int' | 'bigint' | 'text';
}

/**
 * Database rows for an exported table, which are read in pages. In all SQL, `$1` is the realm, `$2` the ids of the
 * consenting accounts, `$3` true for a public export, `$4` JSON values computed by the service, and `$5` the export.
 */
export interface ExportedTableRows {
  /** SQL of a row as a JSON object. */
  readonly row: string;
  /** SQL FROM and WHERE clauses of the rows. */
  readonly from: string;
  /** Columns that identify a row and order the rows. */
  readonly key: readonly [KeyColumn, ...KeyColumn[]];
  /** True if the rows have no stored id. In the archive their `id` is a running number. */
  readonly isNumbered?: boolean;
}

/** A table of the file `realm.json`. Its rows are read from one or more database sources in turn, or come from code. */
export interface ExportedTable {
  readonly name: string;
  readonly sources?: readonly ExportedTableRows[];
  readonly rows?: (context: ExportContext) => Promise<readonly object[]>;
}

/** Returns a page key that consists of one integer column. */
export const integerKeyColumn = (sql: string): readonly [KeyColumn] => [{ sql, type: 'int' }];
