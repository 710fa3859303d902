import { UnrecoverableError, type Job } from 'bullmq';
import type { QueueClock, QueueLogger } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { StoredJobData } from '../jobs/job-attempt.js';
import { computeBackoffDelayMs, type JobDefinition } from '../jobs/define-job.js';
import type { JobFailureHooks } from '../jobs/job-failure-hooks.js';
import { toAddedJobId } from '../jobs/job-ids.js';
import { JobRunner, type JobHandler } from '../jobs/job-runner.js';
import type { MemoryJob } from './memory-job.js';

export interface MemoryJobRunnerOptions {
  readonly clock: QueueClock;
  readonly logger: QueueLogger;
  readonly faultPoint: FaultPointListener;
  /** Ids of the outbox rows of jobs that were added in transactions and have not run. */
  readonly rows: Set<number>;
  readonly failureHooks: JobFailureHooks;
  /**
   * Throws the error of a simulated crash that happened in the job handler. Without this function, the runner would
   * treat the crash as a failed attempt.
   */
  readonly rethrowCrash: () => void;
}

/** Runs jobs of one kind in memory, with the job runner of the real workers. */
export class MemoryJobRunner<P> {
  readonly processed = { completed: 0, failed: 0 };
  private readonly runner: JobRunner<P>;

  constructor(
    private readonly definition: JobDefinition<P, unknown>,
    handler: JobHandler<P>,
    private readonly options: MemoryJobRunnerOptions,
  ) {
    const { clock, logger, faultPoint, rows, failureHooks } = options;
    this.runner = new JobRunner(definition, handler, {
      clock,
      stopping: new AbortController().signal,
      logFor: () => logger,
      gate: null,
      storedJobs: {
        hasJobRow: async (_, row) => rows.has(row),
        handleCompletedJob: async (_, row) => {
          faultPoint('jobs.after-work');
          rows.delete(row);
          faultPoint('jobs.after-removal');
        },
        handleFailedJob: async () => {},
      },
      failureHooks,
      isPaused: () => false,
      isStopping: () => false,
    });
  }

  /** Ends the running attempt of a job in memory. */
  cancel(job: MemoryJob): void {
    this.runner.cancel(job.id);
  }

  /**
   * Runs one attempt of a job and stores its outcome.
   *
   * @throws SimulatedCrashError if a fault point simulates the death of the process; the attempt is then not counted
   */
  async run(job: MemoryJob): Promise<void> {
    const { clock, rethrowCrash } = this.options;
    Object.assign(job, { state: 'active', startedMs: clock.now() });
    let result: unknown;
    try {
      result = await this.runner.run(job as unknown as Job<StoredJobData>, undefined);
    } catch (error) {
      job.state = 'waiting';
      rethrowCrash();
      return this.recordAttemptFailure(job, error);
    }
    job.state = 'waiting';
    rethrowCrash();
    job.attemptsMade += 1;
    this.processed.completed += 1;
    Object.assign(job, { state: 'completed', result, finishedMs: clock.now() });
  }

  /** Fails a job permanently without an attempt, because a child of the job has failed. */
  async failWithoutAttempt(job: MemoryJob, error: string): Promise<void> {
    Object.assign(job, { state: 'failed', error, finishedMs: this.options.clock.now() });
    await this.runner.recordPermanentFailure(job as unknown as Job<StoredJobData>, error, job.attemptsMade);
  }

  private recordAttemptFailure(job: MemoryJob, error: unknown): void {
    const { backoff, name, attempts } = this.definition;
    const now = this.options.clock.now();
    job.attemptsMade += 1;
    job.error = error instanceof Error ? error.message : String(error);
    job.stack = error instanceof Error ? (error.stack ?? null) : null;
    this.processed.failed += 1;
    if (!(error instanceof UnrecoverableError) && job.attemptsMade < (job.opts.attempts ?? attempts)) {
      Object.assign(job, { state: 'delayed', readyMs: now + computeBackoffDelayMs(backoff, job.attemptsMade, 0) });
      return;
    }
    Object.assign(job, { state: 'failed', finishedMs: now });
    const fields = { job: name, jobId: toAddedJobId(job.id), ...job.data.context, error: job.error };
    this.options.logger.error(fields, 'job failed permanently');
  }
}
