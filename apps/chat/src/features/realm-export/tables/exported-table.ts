import type { ExportContext } from '../worker/export-stage.js';

/** A column by which the rows of a table are read in pages. */
export interface KeyColumn {
  readonly sql: string;
  readonly type: 'int' | 'bigint' | 'text';
}

/**
 * Rows of a table of the archive that are read from the database in pages. In all SQL, `$1` is the realm, `$2` the ids of
 * the consenting accounts, `$3` true for a public export, `$4` values of the service as JSON, and `$5` the export.
 */
export interface StoredRows {
  /** SQL of a row as JSON. */
  readonly row: string;
  /** SQL of FROM and WHERE. */
  readonly from: string;
  /** Columns that identify a row and order the rows. */
  readonly key: readonly [KeyColumn, ...KeyColumn[]];
  /** True if rows have no id of their own. They get numbers within the archive as `id`. */
  readonly isNumbered?: boolean;
}

/** A table of `realm.json`. Its rows come from the database, from several sources one after the other, or from code. */
export interface ExportedTable {
  readonly name: string;
  readonly sources?: readonly StoredRows[];
  readonly rows?: (context: ExportContext) => Promise<readonly object[]>;
}

/** Returns a key of one column with integers. */
export const intKey = (sql: string): readonly [KeyColumn] => [{ sql, type: 'int' }];
