import { Worker } from 'bullmq';
import { formatErrorText, type QueueLogger, type TraceContext } from '../environment.js';
import type { RedisClient } from '../redis.js';
import { computeBackoffDelayMs, WorkerStoppingError, type JobDefinition } from './define-job.js';
import { toAddedJobId } from './job-ids.js';
import type { StoredJobData } from './job-attempt.js';
import type { JobRunner } from './job-runner.js';

/**
 * Number of workers that may be killed while running the same job before the job fails permanently. Rolling restarts
 * kill far fewer workers. The limit stops a job that ends its process at every attempt.
 */
const MAX_KILLED_WORKERS_PER_JOB = 25;

/** Options of {@link JobWorker}, which runs one kind of job. */
export interface JobWorkerOptions {
  definition: Pick<JobDefinition<unknown>, 'name' | 'concurrency' | 'backoff'>;
  runner: Pick<
    JobRunner<never>,
    | 'run'
    | 'hasInlineCapacity'
    | 'runInline'
    | 'waitUntilIdle'
    | 'cancel'
    | 'activeAttemptCount'
    | 'workedMs'
    | 'recordPermanentFailure'
  >;
  /** Name of the worker process, which is stored with each job that the process runs. */
  worker: string;
  connection: RedisClient;
  prefix: string;
  stalledAfterMs: number;
  logger: QueueLogger;
}

/**
 * Worker that runs the jobs of one kind. The worker runs jobs as soon as it is constructed, and counts the attempts.
 */
export class JobWorker {
  /** Numbers of job attempts that have succeeded and failed since the process started. */
  readonly processed = { completed: 0, failed: 0 };
  readonly runner: JobWorkerOptions['runner'];
  private readonly worker: Worker<StoredJobData>;

  constructor({ definition, runner, worker, connection, prefix, stalledAfterMs, logger }: JobWorkerOptions) {
    const { name, concurrency, backoff } = definition;
    this.runner = runner;
    this.worker = new Worker<StoredJobData>(name, (job, token) => runner.run(job, token), {
      name: worker,
      connection,
      prefix,
      concurrency,
      lockDuration: stalledAfterMs,
      stalledInterval: stalledAfterMs,
      maxStalledCount: MAX_KILLED_WORKERS_PER_JOB,
      settings: { backoffStrategy: (failures) => computeBackoffDelayMs(backoff, failures, Math.random()) },
    });
    this.worker.on('error', (error) => logger.debug({ job: name, error: formatErrorText(error) }, 'job worker error'));
    this.worker.on('stalled', (id) =>
      logger.warn({ job: name, jobId: toAddedJobId(id) }, 'job of a lost worker is retried'),
    );
    this.worker.on('completed', () => (this.processed.completed += 1));
    this.worker.on('failed', (job, error) => {
      this.processed.failed += 1;
      if (!job || job.finishedOn === undefined) return;
      const fields = { job: name, jobId: toAddedJobId(job.id), ...job.data.context, error: error.message };
      logger.error(fields, 'job failed permanently');
      // BullMQ fails a job without an attempt when too many of its workers were lost, or when a child failed.
      runner.recordPermanentFailure(job, error.message, job.attemptsMade).catch((fault: unknown) => {
        logger.error({ ...fields, error: formatErrorText(fault) }, 'failure of a job was not recorded');
      });
    });
  }

  /** Calls {@link JobRunner.runInline}. Counts the inline run like an attempt of a job. */
  runHandlerInline(payload: unknown, id: string, context: TraceContext): Promise<void> | null {
    const run = this.runner.runInline(payload, id, context);
    return (
      run &&
      run
        .then(() => void (this.processed.completed += 1))
        .catch((error: unknown) => this.logAndRethrowAttemptFailure(error))
    );
  }

  private logAndRethrowAttemptFailure(error: unknown): never {
    if (!(error instanceof WorkerStoppingError)) this.processed.failed += 1;
    throw error;
  }

  /**
   * Stops running new jobs. Resolves when running jobs have ended or were returned to the queue. With `force`, does not
   * wait for running jobs.
   */
  closeWorker(force: boolean): Promise<void> {
    return this.worker.close(force);
  }
}
