/** A transaction or a connection on which change stamps (database snapshots) are read, one statement at a time. */
export interface DatabaseSnapshotReader {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/**
 * State of a database at one moment: the set of finished transactions. Also contains the incarnation of the server in
 * which this set is valid.
 */
export interface DatabaseSnapshotStamp {
  /**
   * Identifier of the server's incarnation. The identifier changes with each crash recovery and each promotion of a
   * standby, because both reuse transaction ids. It also changes when a different or restored database is at the same
   * address. Every stamp that is read on a standby has a different identifier.
   */
  readonly incarnation: string;
  /** Text of `pg_current_snapshot()`, which describes the finished transactions. */
  readonly snapshot: string;
}

/**
 * Report about the data models that have changed since an earlier change stamp (database snapshot). Also contains the
 * change stamp of the report itself.
 */
export interface ModelsWithChangedRows extends DatabaseSnapshotStamp {
  /** Numbers of the requested data models whose data has changed. */
  readonly changedModels: ReadonlySet<number>;
  /** Transaction id below which the recorded changes of transactions may already be removed. */
  readonly removedBelowId: bigint;
}

/**
 * SQL expression for the server's incarnation, which identifies a period without crash recovery. The value contains the
 * time of the last statistics reset, which a clean restart preserves. On a server without that time, each statement
 * gets a different incarnation. So does each statement on a standby, because the snapshot of a standby does not list
 * running transactions. Cached values are then never used again.
 */
export const serverIncarnationSql = `coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), random())::text || '/' ||
  CASE WHEN pg_is_in_recovery() THEN random()::text ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END || '/' ||
  pg_relation_filepath('changes.model_changes')`;

const selectCurrentSnapshotSql = `SELECT ${serverIncarnationSql} AS incarnation, pg_current_snapshot()::text AS snapshot`;

/**
 * SQL statement that reports which models have changed since a change stamp. The statement makes two primary key
 * lookups for each model, even if another transaction has been running for a long time. With `EXISTS` instead of
 * `ORDER BY ... LIMIT 1`, the generic plan would be a sequential scan.
 */
export const selectModelsWithChangedRowsSql = `SELECT ${serverIncarnationSql} AS incarnation, pg_current_snapshot()::text AS snapshot,
      (SELECT xid::text FROM changes.sweep_limit WHERE id = 1) AS swept_below,
      (SELECT array_agg(m) FROM unnest($2::smallint[]) m
       WHERE (SELECT true FROM changes.model_changes WHERE model = m AND xid >= pg_snapshot_xmax($1::pg_snapshot)
              ORDER BY xid DESC LIMIT 1)
          OR EXISTS (SELECT FROM pg_snapshot_xip($1::pg_snapshot) r(xid)
                     WHERE (SELECT true FROM changes.model_changes c WHERE c.model = m AND c.xid = r.xid))) AS changed`;

interface ModelsWithChangedRowsQueryResult extends DatabaseSnapshotStamp {
  swept_below: string;
  changed: number[] | null;
}

/**
 * Reads the current change stamp, which describes a database snapshot. In a repeatable read transaction, the result is
 * the stamp of the transaction's snapshot. The caller must read the stamp before it reads the described data, or in the
 * same repeatable read transaction.
 */
export async function readCurrentSnapshotStamp(tx: DatabaseSnapshotReader): Promise<DatabaseSnapshotStamp> {
  const { rows } = await tx.query<DatabaseSnapshotStamp>(selectCurrentSnapshotSql);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no snapshot');
  return row;
}

/**
 * Returns a report of which models have changed since a change stamp, with a new change stamp. The report uses the
 * snapshot of its own statement, or the snapshot of `tx` in a repeatable read transaction.
 */
export async function readModelsWithChangedRowsSinceSnapshot(
  tx: DatabaseSnapshotReader,
  since: DatabaseSnapshotStamp,
  models: Iterable<number>,
): Promise<ModelsWithChangedRows> {
  const { rows } = await tx.query<ModelsWithChangedRowsQueryResult>(selectModelsWithChangedRowsSql, [
    since.snapshot,
    [...models],
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no snapshot');
  const { incarnation, snapshot, swept_below: swept, changed } = row;
  return { incarnation, snapshot, removedBelowId: BigInt(swept), changedModels: new Set(changed) };
}

/**
 * Returns true if no transaction has ended between two change stamps. Each end of a transaction changes the snapshot in
 * the stamp.
 */
export function areEqualSnapshotStamps(a: DatabaseSnapshotStamp, b: DatabaseSnapshotStamp | undefined): boolean {
  return a.snapshot === b?.snapshot && a.incarnation === b.incarnation;
}

/** Returns the `xmax` of a change stamp's snapshot: one past the highest transaction id that was finished. */
export function getSnapshotXmax({ snapshot }: DatabaseSnapshotStamp): bigint {
  return BigInt(snapshot.split(':')[1] ?? 0);
}

function countTransactionsRunningAtSnapshot({ snapshot }: DatabaseSnapshotStamp): number {
  const list = snapshot.slice(snapshot.lastIndexOf(':') + 1);
  return list === '' ? 0 : list.split(',').length;
}

/**
 * Compares two change stamps of one incarnation. Returns a negative number if `a` is older, and 0 if both contain the
 * same finished transactions. If the `xmax` of both stamps is equal, the stamp with more running transactions is older.
 */
export function compareSnapshotStamps(a: DatabaseSnapshotStamp, b: DatabaseSnapshotStamp): number {
  if (a.snapshot === b.snapshot) return 0;
  const ends = getSnapshotXmax(a) - getSnapshotXmax(b);
  if (ends !== 0n) return ends < 0n ? -1 : 1;
  return countTransactionsRunningAtSnapshot(b) - countTransactionsRunningAtSnapshot(a);
}
