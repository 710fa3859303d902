import type { Job, JobsOptions } from 'bullmq';
import { z } from 'zod';
import { formatErrorText } from '../environment.js';
import type { DispatchedOutboxRow } from '../outbox/outbox-dispatcher.js';
import type { OutboxMessageType } from '../outbox/outbox-message-type.js';
import type { Outbox } from '../outbox/outbox.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { PeriodicTask } from '../periodic-task.js';
import type { TransactionHandle } from '../transaction-handle.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { StoredJobData } from './job-attempt.js';
import { requeueStoredFailedJob } from './failed-jobs.js';
import type { JobWithState } from './job-with-state.js';
import { toAddedJobId } from './job-ids.js';
import type { BullMqJobQueues, JobPreparedForBullMq } from './job-queues.js';
import { JobOutboxRows, getJobMessageTypeName, type JobOutboxRow } from './job-rows.js';
import type { TransactionalJobCallbacks } from './job-runner.js';
import type { CompleteJobsSettings } from './jobs-settings.js';
import { BatchedJobRowRemover } from './job-row-removals.js';

/**
 * Payload of the outbox row of a job. `runAtMs` is the earliest time at which the job may run, in milliseconds since
 * 1970; 0 for a job without a delay.
 */
interface StoredJobPayload {
  readonly data: StoredJobData;
  readonly opts: JobsOptions;
  readonly runAtMs: number;
}

/** Outbox row of a job, where the job must exist in Redis. */
interface JobRowWithPayload extends StoredJobPayload {
  readonly id: number;
  /** Id of the job that the outbox row describes. */
  readonly key: string;
  /** True if an operator has requeued the outbox row after the row's job had failed. */
  readonly isRequeued: boolean;
}

export interface TransactionalJobsOptions extends Pick<
  CompleteJobsSettings,
  'recheckMs' | 'sweepMs' | 'clock' | 'logger' | 'faultPoint'
> {
  readonly outbox: Outbox;
  readonly queues: BullMqJobQueues;
}

/**
 * Creates the part of {@link Jobs} for jobs that are added in transactions. Returns null if the settings have no
 * outbox.
 *
 * @throws QueueUsageError when the outbox has another prefix
 */
export function createTransactionalJobs(
  queues: BullMqJobQueues,
  settings: CompleteJobsSettings,
): TransactionalJobs | null {
  const { outbox, prefix } = settings;
  if (outbox === undefined) return null;
  if (outbox.schemaAndKeyPrefix.prefix !== prefix) {
    throw new QueueUsageError(
      `The jobs have prefix ${prefix}, but their outbox has prefix ${outbox.schemaAndKeyPrefix.prefix}`,
    );
  }
  return new TransactionalJobs({ ...settings, outbox, queues });
}

/** Maximum number of job rows that are checked against Redis in one step of the periodic search for lost jobs. */
const MAX_JOB_ROWS_PER_CHECK = 100;

/** Maximum time between two checks whether a job that waits for long is still in Redis, in milliseconds. */
const MAX_JOB_RECHECK_INTERVAL_MS = 600_000;

/** State of a job in Redis: absent, unfinished, completed or failed. */
type JobStateInRedis = 'absent' | 'unfinished' | 'completed' | 'failed';

/**
 * Jobs that were added in transactions. The outbox rows of the jobs are authoritative. A job whose row is missing does
 * not run. If Redis has lost the job of a row, the job is added again, until the job has run.
 */
export class TransactionalJobs implements TransactionalJobCallbacks {
  private readonly rows: JobOutboxRows;
  private readonly removals: BatchedJobRowRemover;
  private readonly sweeping: PeriodicTask;

  constructor(private readonly options: TransactionalJobsOptions) {
    const { outbox, queues, clock, logger, sweepMs } = options;
    this.rows = new JobOutboxRows(outbox.tables);
    this.removals = new BatchedJobRowRemover(this.rows);
    for (const name of queues.names) this.registerJobRowDispatcher(name);
    this.sweeping = new PeriodicTask({
      clock,
      run: () => this.restoreLostJobs(),
      failed: (error) => logger.debug({ error: formatErrorText(error) }, 'sweep of job rows failed'),
      restMs: () => sweepMs,
    });
  }

  /** Adds the outbox row of a job to a transaction. */
  addJobRow(tx: TransactionHandle, { name, data, opts: { delay, ...opts } }: JobPreparedForBullMq): void {
    const runAtMs = delay === undefined ? 0 : this.options.clock.now() + delay;
    const stored: StoredJobPayload = { data, opts, runAtMs };
    this.options.outbox.addRow(tx, {
      topic: getJobMessageTypeName(name),
      realm: '',
      version: 1,
      payload: JSON.stringify(stored),
      key: toAddedJobId(opts.jobId),
      notBefore: null,
      audience: null,
      weight: 1,
    });
  }

  startRestoringLostJobs(): void {
    this.sweeping.start();
  }

  async stopRestoringLostJobs(): Promise<void> {
    await this.sweeping.stop();
  }

  /** Finds jobs that were added in transactions and that Redis has lost, and adds these jobs to Redis again. */
  async restoreLostJobs(): Promise<void> {
    const { queues, recheckMs, faultPoint } = this.options;
    const names = [...queues.names];
    await queues.firstRedisConnectionAttempt;
    // Throws while Redis is unavailable, so that no row is claimed in vain.
    for (const name of names) queues.getQueueOfJobKind(name);
    let claimed: readonly JobOutboxRow[];
    do {
      claimed = await this.rows.claimRowsDueForCheck(names, MAX_JOB_ROWS_PER_CHECK, recheckMs);
      faultPoint?.('jobs.after-claim');
      for (const name of names) {
        const rows = claimed.filter(({ topic }) => topic === getJobMessageTypeName(name));
        if (rows.length > 0) await this.restoreMissingJobsOfRows(name, rows);
      }
    } while (claimed.length >= MAX_JOB_ROWS_PER_CHECK && !this.sweeping.isStopped);
  }

  async hasJobRow(job: Job<StoredJobData>, row: number): Promise<boolean> {
    if (await this.rows.isRowInOutbox(job.name, row)) return true;
    // The id may have been used again after the job was cancelled.
    await this.rows.makeRowsOfJobDue(job.name, toAddedJobId(job.id));
    return false;
  }

  async handleCompletedJob(job: Job<StoredJobData>, row: number): Promise<void> {
    const { faultPoint } = this.options;
    faultPoint?.('jobs.after-work');
    await this.logErrorOfRowChange(job, this.removals.removeJobRow(row));
    faultPoint?.('jobs.after-removal');
  }

  async handleFailedJob(job: Job<StoredJobData>, row: number, error: string, attempts: number): Promise<void> {
    await this.logErrorOfRowChange(job, this.rows.makeRowDeadLetter(row, error, attempts));
  }

  /** Returns a job that is not in Redis, as described by its outbox row. Returns null if the job has no row. */
  async findJobByRow(name: string, id: string): Promise<JobWithState | null> {
    const row = await this.rows.findRowStateOfJob(name, id);
    if (row === null) return null;
    const { data, runAtMs } = JSON.parse(row.payload) as StoredJobPayload;
    const isDelayed = runAtMs > this.options.clock.now();
    return {
      job: name,
      id,
      state: row.isDeadLetter ? 'failed' : isDelayed ? 'delayed' : 'waiting',
      payload: decodeDatesInJsonValue(data.payload),
      progress: null,
      result: null,
      error: row.error,
      attempts: row.attempts,
      addedAt: new Date(row.createdMs),
      startedAt: null,
      finishedAt: row.setAsideMs === null ? null : new Date(row.setAsideMs),
    };
  }

  /** Changes the dead letters of failed jobs to rows of waiting jobs. Called before the failed jobs are requeued. */
  async requeueDeadLettersOfJobs(jobs: readonly Job<StoredJobData>[]): Promise<void> {
    await this.rows.requeueRowsOfDeadLetters(
      jobs.flatMap(({ data }) => data.row ?? []),
      this.options.recheckMs,
    );
  }

  /**
   * Requeues the failed job whose outbox row is a dead letter, even if Redis has lost the job. Returns false if the
   * dead letter does not exist.
   */
  async requeueDeadLetterJob(name: string, id: string): Promise<boolean> {
    return (await this.options.outbox.requeue(getJobMessageTypeName(name), { key: id })) > 0;
  }

  /** Deletes the dead letter of a failed job. Returns false if the dead letter does not exist. */
  async discardDeadLetterJob(name: string, id: string): Promise<boolean> {
    return (await this.options.outbox.discard(getJobMessageTypeName(name), { key: id })) > 0;
  }

  /** Removes the outbox rows of a job id, so that the job does not start. Returns false if the job id has no row. */
  async removeRowsOfCancelledJob(name: string, id: string, tx?: TransactionHandle): Promise<boolean> {
    return this.rows.removeRowsOfJob(name, id, tx);
  }

  private async logErrorOfRowChange(job: Job<StoredJobData>, change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      const fields = { job: job.name, jobId: toAddedJobId(job.id), error: formatErrorText(error) };
      this.options.logger.warn(fields, 'row of a job was not changed, the sweep will change it');
    }
  }

  /**
   * Checks whether the jobs of claimed rows are in Redis, and adds missing jobs again. Jobs that wait for long are
   * checked less often.
   */
  private async restoreMissingJobsOfRows(name: string, claimed: readonly JobOutboxRow[]): Promise<void> {
    const { recheckMs } = this.options;
    const rows = claimed.map((row) => ({ ...(JSON.parse(row.payload) as StoredJobPayload), ...row }));
    const unfinished = await this.addMissingJobsToRedis(name, rows);
    const waiting = claimed.filter(({ id, ageMs }) => unfinished.has(id) && ageMs > recheckMs);
    await this.rows.setNextCheckTimes(
      waiting.map(({ id, ageMs }) => ({ id, nextMs: Math.round(Math.min(ageMs, MAX_JOB_RECHECK_INTERVAL_MS)) })),
    );
  }

  private registerJobRowDispatcher(name: string): void {
    const { outbox, recheckMs } = this.options;
    const toRow = ({ id, key, payload }: DispatchedOutboxRow<StoredJobPayload>): JobRowWithPayload => ({
      ...payload,
      id,
      key: key ?? '',
      isRequeued: true,
    });
    outbox.dispatchRetained(
      getJobOutboxMessageType(name),
      async (rows) => ({ afterCommit: () => this.addJobsOfDispatchedRows(name, rows.map(toRow)) }),
      (rows) => this.rows.createEndJobDispatchSql(rows.map(toRow), recheckMs),
    );
  }

  /**
   * Adds the jobs of dispatched outbox rows to Redis. If Redis fails, the rows become due for the periodic search for
   * lost jobs.
   */
  private async addJobsOfDispatchedRows(name: string, rows: readonly JobRowWithPayload[]): Promise<void> {
    try {
      await this.addMissingJobsToRedis(name, rows);
    } catch (error) {
      this.options.logger.warn(
        { job: name, error: formatErrorText(error) },
        'jobs were not added, the sweep will add them',
      );
      await this.rows.makeRowsDueForCheck(rows.map(({ id }) => id));
    }
  }

  /**
   * Adds the jobs of outbox rows to Redis, except jobs that are already in Redis. Removes the rows of jobs that have
   * run. Returns the ids of rows whose jobs had been added before and have not run yet.
   */
  private async addMissingJobsToRedis(name: string, rows: readonly JobRowWithPayload[]): Promise<Set<number>> {
    await this.options.queues.firstRedisConnectionAttempt;
    const states = await this.readJobStatesFromRedis(name, rows);
    const inState = (state: JobStateInRedis): JobRowWithPayload[] => rows.filter((_, index) => states[index] === state);
    await this.addJobsOfRows(name, inState('absent'));
    for (const row of inState('failed')) await this.updateRowOfFailedJob(name, row);
    await this.rows.removeRows(inState('completed').map(({ id }) => id));
    return new Set(inState('unfinished').map(({ id }) => id));
  }

  private async addJobsOfRows(name: string, rows: readonly JobRowWithPayload[]): Promise<void> {
    if (rows.length === 0) return;
    const now = this.options.clock.now();
    await this.options.queues.addJobsOfKind(
      name,
      rows.map(({ id, data, opts, runAtMs }) => ({
        name,
        data: { ...data, row: id },
        opts: runAtMs > now ? { ...opts, delay: runAtMs - now } : opts,
      })),
    );
  }

  /** Handles an outbox row whose job has failed permanently in Redis. */
  private async updateRowOfFailedJob(name: string, row: JobRowWithPayload): Promise<void> {
    const job = await this.options.queues.getQueueOfJobKind(name).getJob(row.opts.jobId ?? '');
    if (job === undefined) return this.addJobsOfRows(name, [row]);
    // A job with this id failed that another row, or none, has added: adding it again has no effect.
    if (job.data.row !== row.id) return this.rows.removeRows([row.id]);
    if (row.isRequeued) await requeueStoredFailedJob(job);
    else await this.rows.makeRowDeadLetter(row.id, job.failedReason ?? '', job.attemptsMade);
  }

  /**
   * Reads the states of the jobs of some outbox rows from Redis. Unlike BullMQ's own function, this function does not
   * search lists of waiting jobs.
   */
  private async readJobStatesFromRedis(name: string, rows: readonly JobRowWithPayload[]): Promise<JobStateInRedis[]> {
    const queue = this.options.queues.getQueueOfJobKind(name);
    const redis = await this.options.queues.waitForConnection(queue);
    return Promise.all(
      rows.map(async ({ opts }) => {
        const key = queue.toKey(opts.jobId ?? '');
        const [addedAt, finishedAt, result] = await redis.hmget(key, 'timestamp', 'finishedOn', 'returnvalue');
        if (addedAt === null) return 'absent';
        if (finishedAt === null) return 'unfinished';
        return result === null ? 'failed' : 'completed';
      }),
    );
  }
}

/**
 * Returns the outbox message type for the rows of a kind of job. The worker parses the payload of these rows; a
 * dispatch does not.
 */
function getJobOutboxMessageType(name: string): OutboxMessageType<StoredJobPayload, StoredJobPayload> {
  return {
    name: getJobMessageTypeName(name),
    version: 1,
    order: 'none',
    locksKeys: false,
    payload: z.custom<StoredJobPayload>(),
    read: (stored) => stored as StoredJobPayload,
  };
}
