import type { Database } from '../database.js';
import { type ChangeStamp, incarnationSql, readChangeStamp } from './change-stamp.js';

/**
 * Minimum age of removed rows of changes, in milliseconds. A cached value that was not verified for longer is dropped.
 */
const KEPT_MS = 600_000;

/**
 * Number of transaction ids beyond the current one that may still belong to this cluster: fewer transactions than this
 * begin during a sweep.
 */
const OWN_IDS_AHEAD = 10_000;

/**
 * SQL that removes the rows of transactions that were finished at the stamp, and raises the limit in the same
 * transaction.
 */
const removeFinished = `WITH removed AS (
    DELETE FROM changes.model_changes WHERE pg_visible_in_snapshot(xid, $1::pg_snapshot) AND (SELECT ${incarnationSql}) = $2
    RETURNING model
  ), counted AS (SELECT count(*) AS n FROM removed), limited AS (
    UPDATE changes.sweep_limit SET xid = pg_snapshot_xmax($1::pg_snapshot)
    WHERE id = 1 AND xid < pg_snapshot_xmax($1::pg_snapshot) AND (SELECT n FROM counted) > 0
  ) SELECT n FROM counted`;

/**
 * SQL that removes rows and a limit from another cluster's dump, whose transaction ids are still in the future here.
 */
const removeForeign = `WITH present AS (SELECT pg_snapshot_xmax(pg_current_snapshot()) AS xmax), removed AS (
    DELETE FROM changes.model_changes
    WHERE xid >= (SELECT (xmax::text::bigint + ${OWN_IDS_AHEAD})::text::xid8 FROM present) RETURNING model
  ), limited AS (
    UPDATE changes.sweep_limit SET xid = (SELECT xmax FROM present) WHERE id = 1 AND xid > (SELECT xmax FROM present)
  ) SELECT count(*) AS n FROM removed`;

/** Options of {@link ChangeSweep}. */
export interface ChangeSweepOptions {
  readonly nowMs: () => number;
  /** Minimum age of removed rows, in milliseconds. Default ten minutes. */
  readonly keptMs?: number;
}

/**
 * Removes rows of `changes.model_changes` that no cached value needs. Removes rows by a snapshot at least ten minutes
 * old, not by insertion time, because a long transaction commits its row late.
 */
export class ChangeSweep {
  #stamps: { readonly takenMs: number; readonly stamp: ChangeStamp }[] = [];

  constructor(
    private readonly database: Database,
    private readonly options: ChangeSweepOptions,
  ) {}

  /**
   * Stores a new stamp, and removes the rows contained in the newest stored stamp that is old enough. Returns the
   * number of removed rows.
   */
  async run(): Promise<number> {
    const { nowMs, keptMs = KEPT_MS } = this.options;
    const takenMs = nowMs();
    const old = this.#stamps.findLastIndex((one) => one.takenMs <= takenMs - keptMs);
    const { rows: foreign } = await this.database.query<{ n: number }>(removeForeign);
    const due = this.#stamps[old]?.stamp;
    const finished = due && (await this.#removeFinished(due));
    this.#stamps = [...this.#stamps.slice(old + 1), { takenMs, stamp: await readChangeStamp(this.database) }];
    return (foreign[0]?.n ?? 0) + (finished ?? 0);
  }

  async #removeFinished({ snapshot, incarnation }: ChangeStamp): Promise<number> {
    const { rows } = await this.database.query<{ n: number }>(removeFinished, [snapshot, incarnation]);
    return rows[0]?.n ?? 0;
  }
}
