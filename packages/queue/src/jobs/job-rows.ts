import type { QueueTx } from '../database.js';
import type { OutboxTables } from '../outbox/dead-letters.js';
import { createOncePerSchema } from '../queue-schema.js';

/** Name of the outbox message type of the rows of a kind of job. */
export const getJobMessageTypeName = (job: string): string => `job:${job}`;

/** Row of a job, as stored in the outbox. `payload` is JSON text. */
export interface JobRow {
  readonly id: number;
  readonly topic: string;
  /** Id of the job. */
  readonly key: string;
  readonly payload: string;
  /** True if the row was a dead letter and was requeued. */
  readonly isRequeued: boolean;
  /** Milliseconds since the row was inserted. */
  readonly ageMs: number;
}

/** State of the row of a job. Times are in milliseconds since 1970. */
export interface JobRowState {
  readonly payload: string;
  readonly isDeadLetter: boolean;
  /** Number of attempts of a dead letter. */
  readonly attempts: number;
  readonly error: string | null;
  readonly createdMs: number;
  readonly setAsideMs: number | null;
}

// The column `seq` of a job's row is the time at which the sweep looks for the job in Redis, in milliseconds since 1970.
// It is null before the first dispatch and in a dead letter, so that these rows are treated like those of messages.
const NOW_MS_SQL = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';

const hasNextTimeSql = '(seq IS NOT NULL)::int <> 0';

const jobRowStatements = createOncePerSchema((schema) => ({
  // Claims the rows that are due, of all kinds of jobs: one scan of outbox_assigned per kind. Rows are updated by their
  // positions, so that no statistics of the table make the planner read all rows.
  claimDue: `UPDATE ${schema}.outbox o SET seq = ${NOW_MS_SQL} + $3
    WHERE o.ctid = ANY (ARRAY(
      SELECT due.ctid FROM unnest($1::text[]) AS t (topic), LATERAL (
        SELECT r.ctid FROM ${schema}.outbox r
        WHERE r.topic = t.topic AND r.realm = '' AND r.seq <= ${NOW_MS_SQL}
        ORDER BY r.topic, r.realm, r.seq LIMIT $2 FOR UPDATE SKIP LOCKED) due
      LIMIT $2))
    RETURNING o.id::float8 AS id, o.topic, o.key, o.payload::text AS payload, o.error IS NOT NULL AS "isRequeued",
      (extract(epoch FROM clock_timestamp() - o.created_at) * 1000)::float8 AS "ageMs"`,
  // The condition on `seq` is written so that it matches no partial index, of which all entries would be read.
  postpone: `UPDATE ${schema}.outbox SET seq = ${NOW_MS_SQL} + ($2::bigint[])[array_position($1::bigint[], id)]
    WHERE id = ANY ($1::bigint[]) AND ${hasNextTimeSql}`,
  makeDue: `UPDATE ${schema}.outbox SET seq = 0 WHERE id = ANY ($1::bigint[]) AND ${hasNextTimeSql}`,
  makeDueByKey: `UPDATE ${schema}.outbox SET seq = 0 WHERE topic = $1 AND key = $2 AND ${hasNextTimeSql}`,
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
  revive: `UPDATE ${schema}.outbox SET seq = ${NOW_MS_SQL} + $2, set_aside_at = NULL, attempts = 0
    WHERE id = ANY ($1::bigint[]) AND set_aside_at IS NOT NULL`,
}));

/**
 * Rows of jobs in the outbox. A row remains from the commit of the transaction that adds the job until the job has run,
 * so that the job can be added to Redis again.
 */
export class JobRows {
  private readonly sql: ReturnType<typeof jobRowStatements>;

  constructor(private readonly tables: OutboxTables) {
    this.sql = jobRowStatements(tables.schema);
  }

  /**
   * Returns rows whose jobs should be looked for in Redis, at most `limit`, and sets their next time to `nextMs` from
   * now. No other process gets them before that time.
   */
  async claimDueRows(jobs: readonly string[], limit: number, nextMs: number): Promise<JobRow[]> {
    const params = [jobs.map(getJobMessageTypeName), limit, nextMs];
    return (await this.tables.pool.query<JobRow>(this.sql.claimDue, params)).rows;
  }

  /** Sets the next time of rows, in milliseconds from now. */
  async setNextTimes(rows: readonly { readonly id: number; readonly nextMs: number }[]): Promise<void> {
    if (rows.length === 0) return;
    await this.tables.pool.query(this.sql.postpone, [rows.map(({ id }) => id), rows.map(({ nextMs }) => nextMs)]);
  }

  /** Makes rows due immediately. */
  async makeRowsDue(ids: readonly number[]): Promise<void> {
    await this.tables.pool.query(this.sql.makeDue, [ids]);
  }

  /** Makes the rows of a job's id due immediately. */
  async makeRowsDueByKey(job: string, key: string): Promise<void> {
    await this.tables.pool.query(this.sql.makeDueByKey, [getJobMessageTypeName(job), key]);
  }

  /** Returns the oldest row of a job's id. */
  async find(job: string, key: string): Promise<JobRowState | null> {
    return (
      (await this.tables.pool.query<JobRowState>(this.sql.find, [getJobMessageTypeName(job), key])).rows[0] ?? null
    );
  }

  async exists(job: string, id: number): Promise<boolean> {
    return (await this.tables.pool.query(this.sql.exists, [id, getJobMessageTypeName(job)])).rows.length > 0;
  }

  /** Removes rows except those that another transaction has locked. Returns the ids of the removed rows. */
  async removeUnlockedRows(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const { rows } = await this.tables.pool.query<{ id: number }>(this.sql.removeUnlocked, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Removes rows. Waits for transactions that have locked them. */
  async removeRows(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.tables.pool.query(this.sql.remove, [ids]);
  }

  /** Removes the rows of a job's id, in a transaction or by a pool. Returns true if there was one. */
  async removeRowsByKey(job: string, key: string, tx: QueueTx = this.tables.pool): Promise<boolean> {
    return (await tx.query(this.sql.removeByKey, [getJobMessageTypeName(job), key])).rows.length > 0;
  }

  /** Makes the row of a permanently failed job a dead letter. */
  async makeRowDeadLetter(id: number, error: string, attempts: number): Promise<void> {
    await this.tables.pool.query(this.sql.setAside, [id, error, attempts]);
  }

  /** Changes the rows of dead letters to rows of waiting jobs, because their failed jobs in Redis are requeued. */
  async requeueDeadRows(ids: readonly number[], nextMs: number): Promise<void> {
    if (ids.length > 0) await this.tables.pool.query(this.sql.revive, [ids, nextMs]);
  }

  /**
   * Returns the statement that ends the dispatch of rows: the rows remain, and the sweep looks for their jobs
   * `nextMs` after the jobs should run.
   */
  createEndDispatchSql(rows: readonly { readonly id: number; readonly runAtMs: number }[], nextMs: number): string {
    const delayed = rows.filter(({ runAtMs }) => runAtMs > 0);
    const cases = delayed.map(({ id, runAtMs }) => `WHEN ${id} THEN ${Math.ceil(runAtMs)}`).join(' ');
    const runAt = delayed.length === 0 ? NOW_MS_SQL : `greatest(${NOW_MS_SQL}, CASE id ${cases} ELSE 0 END)`;
    const ids = rows.map(({ id }) => id).join(', ');
    return `UPDATE ${this.tables.schema}.outbox SET seq = ${runAt} + ${nextMs} WHERE id IN (${ids})`;
  }
}
