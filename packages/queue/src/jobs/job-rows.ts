import type { QueueTx } from '../database.js';
import type { OutboxTablesLocation } from '../outbox/dead-letters.js';
import { createSqlCacheBySchema } from '../queue-schema.js';

/** Returns the name of the outbox message type for rows of a kind of job. */
export const getJobMessageTypeName = (job: string): string => `job:${job}`;

/** Outbox row of a job that was added in a transaction. `payload` is JSON text. */
export interface JobOutboxRow {
  readonly id: number;
  readonly topic: string;
  /** Id of the job that the outbox row describes. */
  readonly key: string;
  readonly payload: string;
  /** True if the row was a dead letter (a permanently failed row) and was then requeued. */
  readonly isRequeued: boolean;
  /** Time since the outbox row was inserted, in milliseconds. */
  readonly ageMs: number;
}

/** State of the outbox row of a job. Times are in milliseconds since 1970. */
export interface JobOutboxRowState {
  readonly payload: string;
  readonly isDeadLetter: boolean;
  /** Number of attempts of the job if its row is a dead letter (a permanently failed row). */
  readonly attempts: number;
  readonly error: string | null;
  readonly createdMs: number;
  readonly setAsideMs: number | null;
}

// The column `seq` of a job's row is the time at which the sweep looks for the job in Redis, in milliseconds since 1970.
// It is null before the first dispatch and in a dead letter, so that these rows are treated like those of messages.
const CURRENT_TIME_MS_SQL = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';

const hasNextCheckTimeSql = '(seq IS NOT NULL)::int <> 0';

const jobOutboxRowStatements = createSqlCacheBySchema((schema) => ({
  // Claims the rows that are due, of all kinds of jobs: one scan of outbox_assigned per kind. Rows are updated by their
  // positions, so that no statistics of the table make the planner read all rows.
  claimDue: `UPDATE ${schema}.outbox o SET seq = ${CURRENT_TIME_MS_SQL} + $3
    WHERE o.ctid = ANY (ARRAY(
      SELECT due.ctid FROM unnest($1::text[]) AS t (topic), LATERAL (
        SELECT r.ctid FROM ${schema}.outbox r
        WHERE r.topic = t.topic AND r.realm = '' AND r.seq <= ${CURRENT_TIME_MS_SQL}
        ORDER BY r.topic, r.realm, r.seq LIMIT $2 FOR UPDATE SKIP LOCKED) due
      LIMIT $2))
    RETURNING o.id::float8 AS id, o.topic, o.key, o.payload::text AS payload, o.error IS NOT NULL AS "isRequeued",
      (extract(epoch FROM clock_timestamp() - o.created_at) * 1000)::float8 AS "ageMs"`,
  // The condition on `seq` is written so that it matches no partial index, of which all entries would be read.
  postpone: `UPDATE ${schema}.outbox SET seq = ${CURRENT_TIME_MS_SQL} + ($2::bigint[])[array_position($1::bigint[], id)]
    WHERE id = ANY ($1::bigint[]) AND ${hasNextCheckTimeSql}`,
  makeDue: `UPDATE ${schema}.outbox SET seq = 0 WHERE id = ANY ($1::bigint[]) AND ${hasNextCheckTimeSql}`,
  makeDueByKey: `UPDATE ${schema}.outbox SET seq = 0 WHERE topic = $1 AND key = $2 AND ${hasNextCheckTimeSql}`,
  find: `SELECT payload::text AS payload, attempts, error, set_aside_at IS NOT NULL AS "isDeadLetter",
      (extract(epoch FROM created_at) * 1000)::float8 AS "createdMs",
      (extract(epoch FROM set_aside_at) * 1000)::float8 AS "setAsideMs"
    FROM ${schema}.outbox WHERE topic = $1 AND key = $2 ORDER BY id LIMIT 1`,
  exists: `SELECT FROM ${schema}.outbox WHERE id = $1 AND topic = $2`,
  remove: `DELETE FROM ${schema}.outbox WHERE id = ANY ($1::bigint[])`,
  removeUnlocked: `DELETE FROM ${schema}.outbox WHERE id = ANY (ARRAY(
      SELECT id FROM ${schema}.outbox WHERE id = ANY ($1::bigint[]) FOR UPDATE SKIP LOCKED))
    RETURNING id::float8 AS id`,
  removeByKey: `DELETE FROM ${schema}.outbox WHERE topic = $1 AND key = $2 RETURNING id`,
  setAside: `UPDATE ${schema}.outbox SET seq = NULL, set_aside_at = clock_timestamp(), error = $2, attempts = $3
    WHERE id = $1 AND set_aside_at IS NULL`,
  revive: `UPDATE ${schema}.outbox SET seq = ${CURRENT_TIME_MS_SQL} + $2, set_aside_at = NULL, attempts = 0
    WHERE id = ANY ($1::bigint[]) AND set_aside_at IS NOT NULL`,
}));

/**
 * Outbox rows of jobs that were added in transactions. A row remains from the commit of the transaction that adds the
 * job until the job has run. Meanwhile the job can be added to Redis again.
 */
export class JobOutboxRows {
  private readonly sql: ReturnType<typeof jobOutboxRowStatements>;

  constructor(private readonly tables: OutboxTablesLocation) {
    this.sql = jobOutboxRowStatements(tables.schema);
  }

  /**
   * Returns at most `limit` job rows that are due for a check whether Redis still has the job. Schedules the next check
   * of the returned rows in `nextMs` milliseconds, so that no other process gets the rows before.
   */
  async claimRowsDueForCheck(jobs: readonly string[], limit: number, nextMs: number): Promise<JobOutboxRow[]> {
    const params = [jobs.map(getJobMessageTypeName), limit, nextMs];
    return (await this.tables.pool.query<JobOutboxRow>(this.sql.claimDue, params)).rows;
  }

  /** Sets the time at which job rows are next checked against Redis, in milliseconds from now. */
  async setNextCheckTimes(rows: readonly { readonly id: number; readonly nextMs: number }[]): Promise<void> {
    if (rows.length === 0) return;
    await this.tables.pool.query(this.sql.postpone, [rows.map(({ id }) => id), rows.map(({ nextMs }) => nextMs)]);
  }

  /** Makes job rows due for a check against Redis immediately. */
  async makeRowsDueForCheck(ids: readonly number[]): Promise<void> {
    await this.tables.pool.query(this.sql.makeDue, [ids]);
  }

  /** Makes the rows of the job with id `key` due for a check against Redis immediately. */
  async makeRowsOfJobDue(job: string, key: string): Promise<void> {
    await this.tables.pool.query(this.sql.makeDueByKey, [getJobMessageTypeName(job), key]);
  }

  /** Returns the state of the oldest outbox row of a job id; null if the job id has no row. */
  async findRowStateOfJob(job: string, key: string): Promise<JobOutboxRowState | null> {
    return (
      (await this.tables.pool.query<JobOutboxRowState>(this.sql.find, [getJobMessageTypeName(job), key])).rows[0] ??
      null
    );
  }

  async isRowInOutbox(job: string, id: number): Promise<boolean> {
    return (await this.tables.pool.query(this.sql.exists, [id, getJobMessageTypeName(job)])).rows.length > 0;
  }

  /**
   * Removes the job rows with the given ids, except rows that another transaction has locked. Returns the ids of the
   * removed rows.
   */
  async removeUnlockedRows(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const { rows } = await this.tables.pool.query<{ id: number }>(this.sql.removeUnlocked, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Removes the job rows with the given ids. Waits for other transactions that have locked the rows. */
  async removeRows(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.tables.pool.query(this.sql.remove, [ids]);
  }

  /**
   * Removes the outbox rows of a job id, in a transaction or by a pool. Returns true if at least one row was removed.
   */
  async removeRowsOfJob(job: string, key: string, tx: QueueTx = this.tables.pool): Promise<boolean> {
    return (await tx.query(this.sql.removeByKey, [getJobMessageTypeName(job), key])).rows.length > 0;
  }

  /** Makes the outbox row of a permanently failed job a dead letter, which is retained for operators. */
  async makeRowDeadLetter(id: number, error: string, attempts: number): Promise<void> {
    await this.tables.pool.query(this.sql.setAside, [id, error, attempts]);
  }

  /** Changes dead letters back to rows of waiting jobs, because the failed jobs in Redis are requeued. */
  async requeueRowsOfDeadLetters(ids: readonly number[], nextMs: number): Promise<void> {
    if (ids.length > 0) await this.tables.pool.query(this.sql.revive, [ids, nextMs]);
  }

  /**
   * Returns the SQL statement that ends the dispatch of job rows. The rows remain in the outbox. A later check compares
   * the rows with Redis `nextMs` milliseconds after their jobs should run.
   */
  createEndJobDispatchSql(rows: readonly { readonly id: number; readonly runAtMs: number }[], nextMs: number): string {
    const delayed = rows.filter(({ runAtMs }) => runAtMs > 0);
    const cases = delayed.map(({ id, runAtMs }) => `WHEN ${id} THEN ${Math.ceil(runAtMs)}`).join(' ');
    const runAt =
      delayed.length === 0 ? CURRENT_TIME_MS_SQL : `greatest(${CURRENT_TIME_MS_SQL}, CASE id ${cases} ELSE 0 END)`;
    const ids = rows.map(({ id }) => id).join(', ');
    return `UPDATE ${this.tables.schema}.outbox SET seq = ${runAt} + ${nextMs} WHERE id IN (${ids})`;
  }
}
