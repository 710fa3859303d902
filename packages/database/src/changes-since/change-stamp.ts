/** Runs one statement by its text: a transaction, or a connection. */
export interface ChangeReader {
  query<R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }>;
}

/** A moment of one database: the set of finished transactions, and the server life in which it is valid. */
export interface ChangeStamp {
  /**
   * Changes with each crash recovery and each promotion, which give ids of transactions out again, and when another
   * database or a restored one stands in its place.
   */
  readonly incarnation: string;
  /** Text of `pg_current_snapshot()`. */
  readonly snapshot: string;
}

/** Changes between an earlier stamp and this one. */
export interface ChangeReport extends ChangeStamp {
  /** The requested models that have changed. */
  readonly changed: ReadonlySet<number>;
  /** Rows of transactions below this id may have been removed. */
  readonly sweptBelow: bigint;
}

/** A clean restart keeps the time. A server without one gets a different incarnation for each statement. */
export const incarnationSql = `coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), random())::text || '/' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || pg_relation_filepath('changes.model_changes')`;

const stampSql = `SELECT ${incarnationSql} AS incarnation, pg_current_snapshot()::text AS snapshot`;

/**
 * Two probes of the primary key for each model, however long another transaction has been running. With `EXISTS` instead
 * of `ORDER BY ... LIMIT 1` the generic plan is a sequential scan.
 */
export const changeReportSql = `SELECT ${incarnationSql} AS incarnation, pg_current_snapshot()::text AS snapshot,
      (SELECT xid::text FROM changes.sweep_limit WHERE id = 1) AS swept_below,
      (SELECT array_agg(m) FROM unnest($2::smallint[]) m
       WHERE (SELECT true FROM changes.model_changes WHERE model = m AND xid >= pg_snapshot_xmax($1::pg_snapshot)
              ORDER BY xid DESC LIMIT 1)
          OR EXISTS (SELECT FROM pg_snapshot_xip($1::pg_snapshot) r(xid)
                     WHERE (SELECT true FROM changes.model_changes c WHERE c.model = m AND c.xid = r.xid))) AS changed`;

interface ReportRow extends ChangeStamp {
  swept_below: string;
  changed: number[] | null;
}

/**
 * Reads the stamp of the statement, or of the transaction when it is repeatable read. Read it on the primary, before the
 * first statement that reads what the stamp is for, or in the same repeatable read transaction.
 */
export async function readChangeStamp(tx: ChangeReader): Promise<ChangeStamp> {
  const { rows } = await tx.query<ChangeStamp>(stampSql);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no snapshot');
  return row;
}

/** Reads which of the models have changed since a stamp, on the primary, as the statement or its transaction sees them. */
export async function readChangesSince(
  tx: ChangeReader,
  since: ChangeStamp,
  models: Iterable<number>,
): Promise<ChangeReport> {
  const { rows } = await tx.query<ReportRow>(changeReportSql, [since.snapshot, [...models]]);
  const [row] = rows;
  if (row === undefined) throw new Error('The server returned no snapshot');
  const { incarnation, snapshot, swept_below: swept, changed } = row;
  return { incarnation, snapshot, sweptBelow: BigInt(swept), changed: new Set(changed) };
}

/** Returns true if no transaction has ended between the two stamps: each end changes the snapshot of its incarnation. */
export function isSameStamp(a: ChangeStamp, b: ChangeStamp | undefined): boolean {
  return a.snapshot === b?.snapshot && a.incarnation === b.incarnation;
}

/** First transaction id that a snapshot does not know as finished. */
export function xmaxOf({ snapshot }: ChangeStamp): bigint {
  return BigInt(snapshot.split(':')[1] ?? 0);
}

function runningIn({ snapshot }: ChangeStamp): number {
  const list = snapshot.slice(snapshot.lastIndexOf(':') + 1);
  return list === '' ? 0 : list.split(',').length;
}

/**
 * Compares two stamps of one incarnation: negative when `a` is older, 0 when the same transactions are finished. Of equal
 * ends the one with more running transactions is older; neither the time of arrival nor xmin tells the order.
 */
export function compareStamps(a: ChangeStamp, b: ChangeStamp): number {
  if (a.snapshot === b.snapshot) return 0;
  const ends = xmaxOf(a) - xmaxOf(b);
  if (ends !== 0n) return ends < 0n ? -1 : 1;
  return runningIn(b) - runningIn(a);
}
