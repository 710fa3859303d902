import type { Tx } from '@switchboard/database';
import { lockDataSource } from '../database-locks.js';
import { createIsJobUnfinishedSql, createRunningJobSourceSql, dataSourceTypeName } from './sync-job-sql-conditions.js';
import type { DataSourceJobEventEmitter } from './emit-sync-job-events.js';
import { secretDataSourceParameterNames } from '../models/core/source-parameters.js';
import { scheduleNextJob } from './schedule-sync-jobs.js';
import { JobLostError } from './data-source-sync-error.js';

/** Name of synchronization jobs, equal to the name in the reference API (NetBox). */
const dataSourceSyncJobName = 'Synchronization';

/**
 * Duration of a job's lease in milliseconds. A running job whose lease was not renewed for this time counts as
 * abandoned.
 */
export const SYNC_JOB_LEASE_MS = 60_000;

/**
 * Maximum number of attempts to run one synchronization job. If a process dies in each attempt, the job fails, because
 * the job may be the cause.
 */
const maxSyncJobAttempts = 3;

/** Maximum number of due jobs that a worker tries in one claim. The worker skips jobs of locked data sources. */
const maxDueJobsPerClaim = 20;

/** State of a data source at the time when a worker claimed its synchronization job. */
export interface ClaimedDataSource {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly url: string;
  /** Parameters of the data source, with asterisks in place of secrets. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** Encrypted secrets of the data source by parameter name; an empty string for a parameter without a secret. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly ignoreRules: string;
}

/** A synchronization job that this process runs, unless another process takes over the job. */
export interface ClaimedSyncJob {
  readonly id: number;
  /** Attempt number of the synchronization job, which increases each time a process claims the job. */
  readonly attempt: number;
  readonly source: ClaimedDataSource;
  /**
   * User who requested the synchronization job. The id is 0 and the name is empty if the data source's interval started
   * the job.
   */
  readonly user: { readonly id: number; readonly username: string };
}

/** An entry in the log of a synchronization job. */
export interface SyncJobLogEntry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly timestamp: string;
}

/** Outcome of a synchronization job: status, error message and log. */
export interface SyncJobResult {
  readonly status: 'completed' | 'errored' | 'failed';
  /** Error message of the synchronization job; empty for a completed job. */
  readonly error: string;
  readonly log: readonly SyncJobLogEntry[];
}

/**
 * SQL condition that a job `j` is due: the job is pending, scheduled for a time that has passed, or abandoned by a
 * process.
 */
const isSyncJobDueSql = `(j.status = 'pending' OR j.status = 'scheduled' AND j.scheduled <= statement_timestamp()
  OR j.status = 'running' AND j.lease_until < statement_timestamp())`;

/** SQL condition that no other job is running for the data source of the job `j`. */
const hasNoRunningJobCondition = `(SELECT r.id FROM core_job r WHERE ${createRunningJobSourceSql('r')} = j.object_id
  AND r.id <> j.id AND r.lease_until >= statement_timestamp() LIMIT 1) IS NULL`;

// Rows are compared in the order of the index of due jobs. The planner takes the other conditions for true and does not see
// the limit. Otherwise it might read and sort all unfinished jobs.
const selectDueSyncJobsSql = `SELECT j.id, j.object_id AS "sourceId" FROM core_job j
  WHERE ${createIsJobUnfinishedSql('j')} AND (coalesce(j.scheduled, j.created), j.id) > ('-infinity', 0)
    AND (coalesce(j.scheduled, j.created), j.id) < (statement_timestamp(), 9223372036854775807)
    AND (j.object_type = '${dataSourceTypeName}' AND ${isSyncJobDueSql})::int <> 0 AND (${hasNoRunningJobCondition})::int <> 0
  ORDER BY coalesce(j.scheduled, j.created), j.id LIMIT (SELECT ${maxDueJobsPerClaim})`;

const dataSourceSecretsJsonSql = `jsonb_build_object(${secretDataSourceParameterNames.map((name) => `'${name}', ${name}`).join(', ')})`;

const selectLockedDataSourceSql = `SELECT id, name, type, source_url AS url, ignore_rules AS "ignoreRules",
    CASE jsonb_typeof(parameters) WHEN 'object' THEN parameters END AS parameters, ${dataSourceSecretsJsonSql} AS secrets
  FROM core_datasource WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED`;

const beginSyncJobSql = `UPDATE core_job j SET status = 'running', started = statement_timestamp(), attempts = j.attempts + 1,
    lease_until = statement_timestamp() + make_interval(secs => $2)
  WHERE j.id = $1 AND ${isSyncJobDueSql} AND ${hasNoRunningJobCondition}
  RETURNING j.attempts AS attempt, coalesce(j.user_id, 0) AS "userId",
    coalesce((SELECT u.username FROM users_user u WHERE u.id = j.user_id), '') AS username`;

/**
 * Adds a job that synchronizes a data source, and sets the status of the data source to `queued`. Returns false if the
 * data source does not exist.
 */
export async function enqueueDataSourceSyncJob(tx: Tx, sourceId: string, userId: number): Promise<boolean> {
  // The row lock of the update keeps the source from being deleted without the new job.
  const { rowCount } = await tx.query(`UPDATE core_datasource SET status = 'queued' WHERE id = $1`, [sourceId]);
  if (rowCount === 0) return false;
  await tx.query(
    `INSERT INTO core_job (object_type, object_id, name, user_id, job_id, queue_name)
      VALUES ('${dataSourceTypeName}', $1, '${dataSourceSyncJobName}', $2, gen_random_uuid(), 'default')`,
    [sourceId, userId],
  );
  return true;
}

/** Returns the synchronization jobs that are due, oldest first. */
export async function listDueSyncJobs(database: Tx): Promise<readonly { id: number; sourceId: number }[]> {
  return (await database.query<{ id: number; sourceId: number }>(selectDueSyncJobsSql)).rows;
}

/**
 * Claims a due synchronization job for the current process. Locks the data source first, so that two processes never
 * run two jobs of one data source.
 *
 * @returns null if another process has started a job of the source, or if too many processes died while running this
 * job
 */
export async function claimSyncJob(
  tx: Tx,
  { id, sourceId }: { readonly id: number; readonly sourceId: number },
  events: DataSourceJobEventEmitter,
): Promise<ClaimedSyncJob | null> {
  const { rows: sources } = await tx.query<ClaimedDataSource>(selectLockedDataSourceSql, [sourceId]);
  const [source] = sources;
  if (source === undefined) return null;
  const { rows } = await tx.query<{ attempt: number; userId: number; username: string }>(beginSyncJobSql, [
    id,
    SYNC_JOB_LEASE_MS / 1000,
  ]);
  const [job] = rows;
  if (job === undefined) return null;
  const claimed = { id, attempt: job.attempt, source, user: { id: job.userId, username: job.username } };
  if (job.attempt > maxSyncJobAttempts) {
    const error = `The processes that ran this job ended before it was done, ${maxSyncJobAttempts} times.`;
    await storeSyncJobResult(
      tx,
      claimed,
      { status: 'failed', error, log: [createSyncJobLogEntry('error', error)] },
      events,
    );
    return null;
  }
  await tx.query(`UPDATE core_datasource SET status = 'syncing' WHERE id = $1`, [sourceId]);
  await events.emitJobEvent(tx, { id, sourceId }, 'job_started');
  return claimed;
}

/**
 * Extends the lease of a synchronization job. Returns false if the lease has expired or the data source was deleted. In
 * that case, another process may already run a job of the data source.
 */
export async function extendJobLease(tx: Tx, { id, attempt, source }: ClaimedSyncJob): Promise<boolean> {
  await lockDataSource(tx, source.id);
  const { rowCount } = await tx.query(
    `UPDATE core_job SET lease_until = clock_timestamp() + make_interval(secs => $3)
      WHERE id = $1 AND attempts = $2 AND status = 'running' AND lease_until >= clock_timestamp()`,
    [id, attempt, SYNC_JOB_LEASE_MS / 1000],
  );
  return rowCount > 0;
}

/**
 * Returns a synchronization job to the queue without counting the attempt. The function is called when the process
 * stops.
 */
export async function returnSyncJobToQueue(tx: Tx, { id, attempt, source }: ClaimedSyncJob): Promise<void> {
  await lockDataSource(tx, source.id);
  const { rowCount } = await tx.query(
    `UPDATE core_job SET status = 'pending', attempts = attempts - 1, lease_until = NULL, started = NULL
      WHERE id = $1 AND attempts = $2 AND status = 'running'`,
    [id, attempt],
  );
  if (rowCount > 0) await tx.query(`UPDATE core_datasource SET status = 'queued' WHERE id = $1`, [source.id]);
}

/**
 * Locks the data source of a job for the transaction that ends the job.
 *
 * @throws JobLostError if the data source was deleted, or the job's lease has expired, so that another job may have
 * stored newer files
 */
export async function lockDataSourceOfJob(tx: Tx, { id, attempt, source }: ClaimedSyncJob): Promise<void> {
  const isStored = await lockDataSource(tx, source.id);
  const { rows } = await tx.query(
    `SELECT id FROM core_job WHERE id = $1 AND attempts = $2 AND status = 'running' AND lease_until >= clock_timestamp()
      FOR NO KEY UPDATE`,
    [id, attempt],
  );
  if (!isStored || rows.length === 0) throw new JobLostError('the job was taken over or its data source was deleted');
}

/**
 * SQL statement that notifies the user who requested a job that the job has ended. The reference API (NetBox) also
 * sends this notification.
 */
const notifySyncJobRequesterSql = `INSERT INTO extras_notification (object_type, object_id, user_id, event_type, object_repr)
  SELECT 'core.job', j.id, j.user_id, 'job_' || j.status, j.name FROM core_job j
   WHERE j.id = $1 AND j.user_id IS NOT NULL
     AND (j.notifications = 'always' OR j.notifications = 'on_failure' AND j.status <> 'completed')`;

/**
 * Stores the outcome of a job and the status of its data source, which must be locked, and emits the job's event. If
 * the data source has an interval, also schedules the next job. The status is then `queued` after a success, like in
 * the reference API (NetBox).
 */
export async function storeSyncJobResult(
  tx: Tx,
  job: ClaimedSyncJob,
  { status, error, log }: SyncJobResult,
  events: DataSourceJobEventEmitter,
): Promise<void> {
  await tx.query(
    `UPDATE core_job SET status = $2, error = $3, log_entries = $4::jsonb, completed = clock_timestamp(), lease_until = NULL
      WHERE id = $1`,
    [job.id, status, error, JSON.stringify(log)],
  );
  await tx.query(notifySyncJobRequesterSql, [job.id]);
  const isCompleted = status === 'completed';
  const hasNext = await scheduleNextJob(tx, job.id);
  await tx.query(
    `UPDATE core_datasource SET status = $2,
        last_synced = CASE WHEN $3 THEN clock_timestamp() ELSE last_synced END WHERE id = $1`,
    [job.source.id, isCompleted ? (hasNext ? 'queued' : 'completed') : 'failed', isCompleted],
  );
  await events.emitJobEvent(tx, { id: job.id, sourceId: job.source.id }, `job_${status}`);
}

/** Returns a log entry for a synchronization job, with the current time. */
export function createSyncJobLogEntry(level: SyncJobLogEntry['level'], message: string): SyncJobLogEntry {
  return { level, message, timestamp: new Date().toISOString() };
}
