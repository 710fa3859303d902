import type { Tx } from '../transaction-interface.js';
import { type DatabaseSnapshotStamp, serverIncarnationSql } from './change-stamp.js';

/** An SQL query that reads the row from which a cached value is built. */
export interface CachedRowQuery {
  /** SQL text of a SELECT that returns one row, with parameters from `$1` on. */
  readonly sql: string;
  readonly params: readonly unknown[];
  /** Numbers of the data models whose tables the query reads. */
  readonly models: Iterable<number>;
}

/** A row, with the change stamp of the database snapshot in which the row was read. */
export interface RowWithSnapshotStamp<R> {
  readonly row: R;
  readonly stamp: DatabaseSnapshotStamp;
  /**
   * True if the transaction that read the row has itself changed data of the row's models. A rollback would undo these
   * changes, so the row must not be cached.
   */
  readonly hasOwnChanges: boolean;
}

interface RowWithSnapshotQueryResult extends DatabaseSnapshotStamp {
  has_own_changes: boolean;
}

/**
 * Reads a row and its change stamp in one statement. The two values therefore belong to one database snapshot, even in
 * a read committed transaction.
 *
 * @throws Error when the statement returns no row
 */
export async function readRowWithSnapshotStamp<R extends object>(
  tx: Tx,
  { sql, params, models }: CachedRowQuery,
): Promise<RowWithSnapshotStamp<R>> {
  // Planned for each execution, because the number of rows that the value is made of depends on the parameters.
  const text = `SELECT value.*, ${serverIncarnationSql} AS incarnation, pg_current_snapshot()::text AS snapshot,
       EXISTS (SELECT FROM changes.model_changes WHERE model = ANY($${params.length + 1}::smallint[])
         AND xid = pg_current_xact_id_if_assigned()) AS has_own_changes
     FROM (${sql}) value`;
  const { rows } = await tx.query<R & RowWithSnapshotQueryResult>({ text, planned: 'each time' }, [
    ...params,
    [...models],
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that yields one row yielded none');
  const { incarnation, snapshot, has_own_changes: hasOwnChanges } = row;
  return { row, stamp: { incarnation, snapshot }, hasOwnChanges };
}
