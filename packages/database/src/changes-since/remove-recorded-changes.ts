import type { Database } from '../database.js';
import { type DatabaseSnapshotStamp, serverIncarnationSql, readCurrentSnapshotStamp } from './change-stamp.js';

/**
 * Minimum age in milliseconds at which recorded changes are removed. A cached value that was not verified for this time
 * is no longer used.
 */
const MIN_RECORDED_CHANGE_AGE_MS = 600_000;

/**
 * Maximum expected distance between the current transaction id and a recorded transaction id of the same database
 * cluster. At a greater distance, the recorded rows are from the dump of another cluster.
 */
const MAX_TRANSACTION_ID_DISTANCE = 10_000;

/**
 * SQL that removes the recorded changes of transactions that were finished at a change stamp. The same statement raises
 * the stored transaction id below which changes may be removed.
 */
const removeFinishedChangesSql = `WITH removed AS (
    DELETE FROM changes.model_changes WHERE pg_visible_in_snapshot(xid, $1::pg_snapshot) AND (SELECT ${serverIncarnationSql}) = $2
    RETURNING model
  ), counted AS (SELECT count(*) AS n FROM removed), limited AS (
    UPDATE changes.sweep_limit SET xid = pg_snapshot_xmax($1::pg_snapshot)
    WHERE id = 1 AND xid < pg_snapshot_xmax($1::pg_snapshot) AND (SELECT n FROM counted) > 0
  ) SELECT n FROM counted`;

/**
 * SQL that removes recorded changes that were restored from the dump of another database cluster. Such rows have higher
 * transaction ids than the current transaction of this cluster. The statement also lowers `changes.sweep_limit`, the
 * transaction id below which recorded changes are removed, if the limit is from such a dump.
 */
const removeRestoredChangesSql = `WITH present AS (SELECT pg_snapshot_xmax(pg_current_snapshot()) AS xmax), removed AS (
    DELETE FROM changes.model_changes
    WHERE xid >= (SELECT (xmax::text::bigint + ${MAX_TRANSACTION_ID_DISTANCE})::text::xid8 FROM present) RETURNING model
  ), limited AS (
    UPDATE changes.sweep_limit SET xid = (SELECT xmax FROM present) WHERE id = 1 AND xid > (SELECT xmax FROM present)
  ) SELECT count(*) AS n FROM removed`;

/** Clock and minimum age of {@link RecordedChangeRemover}. */
export interface RecordedChangeRemovalOptions {
  readonly nowMs: () => number;
  /** Minimum age at which recorded changes are removed, in milliseconds. Default ten minutes. */
  readonly minRemovalAgeMs?: number;
}

/**
 * Removes rows of `changes.model_changes` (recorded changes) that no cached value needs. A row is old enough if its
 * transaction was finished in a stored snapshot from at least ten minutes ago. The insertion time is not used, because
 * a long transaction commits its row late.
 */
export class RecordedChangeRemover {
  #stamps: { readonly takenMs: number; readonly stamp: DatabaseSnapshotStamp }[] = [];

  constructor(
    private readonly database: Database,
    private readonly options: RecordedChangeRemovalOptions,
  ) {}

  /**
   * Stores a new change stamp (database snapshot) in memory. Removes the recorded changes of transactions that were
   * finished at the newest stored stamp of sufficient age. Returns the number of removed rows.
   */
  async run(): Promise<number> {
    const { nowMs, minRemovalAgeMs = MIN_RECORDED_CHANGE_AGE_MS } = this.options;
    const takenMs = nowMs();
    const old = this.#stamps.findLastIndex((one) => one.takenMs <= takenMs - minRemovalAgeMs);
    const { rows: foreign } = await this.database.query<{ n: number }>(removeRestoredChangesSql);
    const due = this.#stamps[old]?.stamp;
    const finished = due && (await this.#removeFinishedChanges(due));
    this.#stamps = [...this.#stamps.slice(old + 1), { takenMs, stamp: await readCurrentSnapshotStamp(this.database) }];
    return (foreign[0]?.n ?? 0) + (finished ?? 0);
  }

  async #removeFinishedChanges({ snapshot, incarnation }: DatabaseSnapshotStamp): Promise<number> {
    const { rows } = await this.database.query<{ n: number }>(removeFinishedChangesSql, [snapshot, incarnation]);
    return rows[0]?.n ?? 0;
  }
}
