import { findTracer } from '@switchboard/tracing';
import { DelayedError, UnrecoverableError, type Job } from 'bullmq';
import { z } from 'zod';
import {
  formatErrorText,
  MAX_ERROR_TEXT_LENGTH,
  type QueueClock,
  type QueueLogger,
  type TraceContext,
} from '../environment.js';
import { encodeDatesForJson, decodeDatesInJsonValue } from '../payload-json.js';
import { JobAttempt, type JobContext, type StoredJobData } from './job-attempt.js';
import {
  FinalJobError,
  JobCancelledError,
  JobTimeoutError,
  WorkerStoppingError,
  type JobDefinition,
} from './define-job.js';
import type { JobFailureHooks } from './job-failure-hooks.js';
import { MAX_JOB_RESULT_LENGTH } from './job-with-state.js';
import type { JobRateLimiter } from './job-rate-limit-gate.js';
import { toAddedJobId, toStoredJobId } from './job-ids.js';
import { runJobAttemptInSpan } from './job-spans.js';

/**
 * Function that does the work of a job. The function may run more than once for a job, because a worker can die after
 * the work. `Jobs.find` returns the result of the function. The result must be representable as JSON of at most 65,536
 * characters.
 */
export type JobHandler<P> = (payload: P, context: JobContext) => Promise<unknown>;

/** Functions that {@link JobRunner} calls for a job that was added in a transaction. */
export interface TransactionalJobCallbacks {
  /**
   * Returns true if the outbox row of a job exists. If the row is missing, the job was cancelled or has already run.
   *
   * @throws Error of the database
   */
  hasJobRow(job: Job<StoredJobData>, row: number): Promise<boolean>;
  /** Removes the outbox row of a job that has run. Logs errors; a periodic check later removes a row that remains. */
  handleCompletedJob(job: Job<StoredJobData>, row: number): Promise<void>;
  /**
   * Makes the outbox row of a permanently failed job a dead letter. Logs errors; a periodic check later repeats a
   * change that failed.
   */
  handleFailedJob(job: Job<StoredJobData>, row: number, error: string, attempts: number): Promise<void>;
}

/** Delay before a job whose outbox row this process could not read is tried again, in milliseconds. */
const UNREADABLE_JOB_RETRY_DELAY_MS = 1_000;

export interface JobRunnerDependencies<P> {
  clock: QueueClock;
  /** Signal that is aborted when the process is stopping and running jobs must end. */
  stopping: AbortSignal;
  /** Function that creates the logger of a job, given the log fields of the job. */
  logFor: (fields: object) => QueueLogger;
  /** Limiter that decides when jobs of this kind may start; null if every job may start immediately. */
  gate: JobRateLimiter<P> | null;
  /**
   * Callbacks for jobs that were added in transactions; null if the process has no outbox and cannot run jobs of this
   * origin.
   */
  storedJobs: TransactionalJobCallbacks | null;
  /** Failure hooks: functions that are called before a job fails permanently. */
  failureHooks: Pick<JobFailureHooks, 'call'>;
  /** Returns true while the kind of job that this runner runs is paused. */
  isPaused: () => boolean;
  /** Function that returns true if this process starts no further jobs. */
  isStopping: () => boolean;
}

/** Runs jobs of one kind for BullMQ. Reports the outcome of a job by the errors that BullMQ expects. */
export class JobRunner<P> {
  /** Total duration of all ended job attempts, in milliseconds. */
  workedMs = 0;
  private readonly running = new Set<JobAttempt>();
  private readonly tracer = findTracer('@switchboard/queue');
  /** Inline runs of the job handler in progress. BullMQ's workers do not wait for inline runs. */
  private readonly inlineRuns = new Set<Promise<void>>();
  /**
   * True if this process has no outbox and has therefore returned a job to the queue. The problem is logged only for
   * the first job.
   */
  private hasLoggedMissingOutbox = false;
  /** Jobs whose permanent failure {@link recordPermanentFailure} has already reported. */
  private readonly reported = new WeakSet<object>();

  constructor(
    private readonly definition: JobDefinition<P, unknown>,
    private readonly handler: JobHandler<P>,
    private readonly environment: JobRunnerDependencies<P>,
  ) {
    environment.stopping.addEventListener('abort', () => {
      for (const attempt of this.running) attempt.abortAttemptWithReason(createWorkerStoppingError());
    });
  }

  /**
   * Runs one attempt of a job. When the job is done, resolves to the job's result in the form stored in Redis.
   *
   * @throws UnrecoverableError if the job failed permanently
   * @throws DelayedError if the job was returned to the queue to wait
   * @throws Error if the attempt failed and may be retried
   */
  async run(job: Job<StoredJobData>, token: string | undefined): Promise<unknown> {
    // A closing worker still gets the job that it has waited for.
    if (this.environment.isStopping()) return returnJobToQueue(job, token, 0);
    if (!(await this.hasRequiredOutboxRow(job, token))) return null;
    const parsed = this.definition.payload.safeParse(decodeDatesInJsonValue(job.data.payload));
    const { gate } = this.environment;
    if (!parsed.success) {
      // A payload with many invalid items has many issues.
      const issues = z.prettifyError(parsed.error);
      const error = `payload does not match the schema: ${issues}`.slice(0, MAX_ERROR_TEXT_LENGTH);
      await this.recordPermanentFailure(job, error, job.attemptsMade + 1);
      throw new UnrecoverableError(error);
    }
    if (!gate) return this.runAttemptWithPayload(job, token, parsed.data);
    const admission = await gate.tryAcquire(parsed.data, job.id ?? '');
    if ('waitMs' in admission) return returnJobToQueue(job, token, admission.waitMs);
    try {
      return await this.runAttemptWithPayload(job, token, parsed.data);
    } finally {
      admission.done();
    }
  }

  /** Returns true if this process has capacity to run the handler with this payload inline. */
  hasInlineCapacity(given: unknown): boolean {
    return this.hasCapacityForPayload(this.definition.payload.parse(given));
  }

  /**
   * Runs the handler inline, without a job in Redis (see `Jobs.inlineRunner`). Returns null if this process has no
   * capacity for the run.
   */
  runInline(given: unknown, id: string, context: TraceContext): Promise<void> | null {
    const { definition, environment } = this;
    const payload = definition.payload.parse(given);
    if (!this.hasCapacityForPayload(payload)) return null;
    const done = environment.gate?.acquire(payload) ?? (() => {});
    const work = { id: toStoredJobId(id), name: definition.name, data: { payload, context }, attemptsMade: 0 };
    const attempt = new JobAttempt(work, 1, environment.logFor);
    const run = this.runJobHandler(attempt, payload, done).finally(() => this.inlineRuns.delete(run));
    this.inlineRuns.add(run);
    return run;
  }

  private hasCapacityForPayload(payload: P): boolean {
    const { stopping, gate } = this.environment;
    if (stopping.aborted || this.environment.isPaused()) return false;
    return this.running.size < this.definition.concurrency && (gate?.isOpen(payload) ?? true);
  }

  /** Runs the handler of a job. Calls `done` when the handler has ended, even if the attempt was ended earlier. */
  private async runJobHandler(attempt: JobAttempt, payload: P, done: () => void): Promise<void> {
    try {
      await this.runHandlerUntilAborted(attempt, payload);
    } finally {
      done();
      await attempt.worked;
    }
  }

  /** Returns a promise that resolves when no inline run of the handler is in progress. */
  async waitUntilIdle(): Promise<void> {
    while (this.inlineRuns.size > 0) await Promise.allSettled(this.inlineRuns);
  }

  /** Number of job attempts in progress in this runner. */
  get activeAttemptCount(): number {
    return this.running.size;
  }

  /**
   * Ends the attempt of the job with this id, so that the job fails permanently. Has no effect if this process does not
   * run the job.
   */
  cancel(storedId: string): void {
    for (const attempt of this.running) {
      if (attempt.storedJobId === storedId)
        attempt.abortAttemptWithReason(new JobCancelledError('cancelled by an operator'));
    }
  }

  private async runAttemptWithPayload(
    job: Job<StoredJobData>,
    token: string | undefined,
    payload: P,
  ): Promise<unknown> {
    const { definition, environment } = this;
    const attempt = new JobAttempt(job, job.opts.attempts ?? definition.attempts, environment.logFor);
    let result: unknown;
    try {
      result = await this.runHandlerUntilAborted(attempt, payload);
    } catch (error) {
      if (attempt.reason instanceof WorkerStoppingError) return await returnJobToQueue(job, token, 0);
      // A handler that observes the signal throws its own error; the abort reason is more informative.
      const failure = this.toBullMqError(attempt, attempt.reason ?? error);
      if (failure instanceof UnrecoverableError || attempt.lastAttempt) {
        await this.recordPermanentFailure(job, failure.message, attempt.attempt);
      }
      throw failure;
    }
    if (job.data.row !== undefined) await environment.storedJobs?.handleCompletedJob(job, job.data.row);
    return toStoredJobResult(attempt, result);
  }

  /**
   * Returns false for a job that was added in a transaction and whose outbox row is missing. The job is then removed
   * from Redis at its end, so that the job's id is free.
   *
   * @throws DelayedError while the row cannot be read, or if the process has no outbox and thus no access to the row
   */
  private async hasRequiredOutboxRow(job: Job<StoredJobData>, token: string | undefined): Promise<boolean> {
    const { storedJobs, logFor } = this.environment;
    if (job.data.row === undefined) return true;
    const log = (): QueueLogger => logFor({ job: job.name, jobId: toAddedJobId(job.id) });
    if (storedJobs === null) {
      // The job returns every second, as all others of its kind do.
      if (!this.hasLoggedMissingOutbox) {
        log().error({}, 'jobs that were added in transactions cannot run in a process without an outbox');
      }
      this.hasLoggedMissingOutbox = true;
      return returnJobToQueue(job, token, UNREADABLE_JOB_RETRY_DELAY_MS);
    }
    let isWanted = false;
    try {
      isWanted = await storedJobs.hasJobRow(job, job.data.row);
    } catch (error) {
      log().warn({ error: formatErrorText(error) }, 'row of a job was not read');
      return returnJobToQueue(job, token, UNREADABLE_JOB_RETRY_DELAY_MS);
    }
    if (!isWanted) job.opts.removeOnComplete = true;
    return isWanted;
  }

  /**
   * Calls the failure hooks of a job that is about to fail permanently, and makes the job's outbox row a dead letter.
   * Only the first call for a job has an effect.
   */
  async recordPermanentFailure(job: Job<StoredJobData>, error: string, attempts: number): Promise<void> {
    if (this.reported.has(job)) return;
    this.reported.add(job);
    await this.environment.failureHooks.call(job, error, attempts);
    if (job.data.row !== undefined)
      await this.environment.storedJobs?.handleFailedJob(job, job.data.row, error, attempts);
  }

  /** Runs the handler of a job until it has ended or the attempt is aborted. */
  private async runHandlerUntilAborted(attempt: JobAttempt, payload: P): Promise<unknown> {
    const { definition, environment, running, tracer } = this;
    const { name, timeoutMs } = definition;
    const { clock, stopping } = environment;
    const late = (): void => attempt.abortAttemptWithReason(new JobTimeoutError(`${name} took over ${timeoutMs} ms`));
    const timer = clock.setTimeout(late, timeoutMs);
    const startedAt = clock.now();
    running.add(attempt);
    if (stopping.aborted) attempt.abortAttemptWithReason(createWorkerStoppingError());
    const run = (): Promise<unknown> => attempt.runAttemptWork(() => this.handler(payload, attempt));
    try {
      return await (tracer === null ? run() : runJobAttemptInSpan(tracer, name, attempt, run));
    } finally {
      clock.clearTimeout(timer);
      running.delete(attempt);
      this.workedMs += clock.now() - startedAt;
    }
  }

  /**
   * Returns the error that is thrown to BullMQ for a failed attempt. The handler's own error is never thrown, because
   * BullMQ would interpret some names and messages of errors as instructions.
   */
  private toBullMqError(attempt: JobAttempt, error: unknown): Error {
    const final = error instanceof FinalJobError || this.definition.finalErrors(error);
    const text = formatErrorText(error);
    attempt.log.warn({ error: text, final }, 'job attempt failed');
    const failure = final ? new UnrecoverableError(text) : new Error(text);
    if (error instanceof Error && error.stack !== undefined) failure.stack = error.stack;
    return failure;
  }
}

/**
 * Returns the result of a job handler in the form stored in Redis. Returns null for a result that cannot be stored,
 * because the work is done.
 */
function toStoredJobResult(attempt: JobAttempt, result: unknown): unknown {
  if (result === undefined || result === null) return null;
  try {
    const stored = encodeDatesForJson(result);
    const length = JSON.stringify(stored)?.length ?? Number.POSITIVE_INFINITY;
    if (length <= MAX_JOB_RESULT_LENGTH) return stored;
    attempt.log.error(
      { length },
      `result of a job is longer than ${MAX_JOB_RESULT_LENGTH} characters and was not stored`,
    );
  } catch (error) {
    attempt.log.error(
      { error: formatErrorText(error) },
      'result of a job cannot be written as JSON and was not stored',
    );
  }
  return null;
}

const createWorkerStoppingError = (): Error => new WorkerStoppingError('the worker stops');

/**
 * Returns a job to the queue, so that the same attempt runs later in any process.
 *
 * @throws DelayedError always, because this error informs BullMQ about the return
 */
async function returnJobToQueue(job: Job<StoredJobData>, token: string | undefined, waitMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + waitMs, token);
  throw new DelayedError();
}
