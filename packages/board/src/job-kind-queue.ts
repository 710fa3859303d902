import type { JobWithState } from '@switchboard/queue';
import type { QueueBoardJobs } from './queue-board-options.js';
import type {
  QueueBoardJob,
  QueueBoardJobPage,
  QueueBoardJobState,
  QueueBoardQueue,
  QueueBoardWorker,
} from './queue-board-queue.js';

/** Number of failed jobs that are removed at a time. */
const REMOVED_JOBS_PER_STEP = 100;

/** One kind of job of `Jobs`, as a queue on the board. */
export class JobKindQueue implements QueueBoardQueue {
  readonly description = 'Jobs';
  readonly states: readonly QueueBoardJobState[] = [
    'active',
    'waiting',
    'waiting-children',
    'completed',
    'failed',
    'delayed',
  ];

  /** Settles when the retries that were requested before have ended. */
  private lastRetry: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly jobs: QueueBoardJobs,
    readonly name: string,
  ) {}

  countJobs(): Promise<Record<QueueBoardJobState, number>> {
    return this.jobs.counts(this);
  }

  async listJobs(states: readonly QueueBoardJobState[], page: QueueBoardJobPage): Promise<QueueBoardJob[]> {
    return (await this.jobs.list(this, { ...page, states })).map((job) => toBoardJob(job));
  }

  async findJob(id: string): Promise<QueueBoardJob | null> {
    const job = await this.jobs.find(this, id);
    if (job === null) return null;
    const failed = job.state === 'failed' ? await this.jobs.findFailed(this, id) : null;
    return toBoardJob(job, failed?.stack ?? undefined);
  }

  async listWorkers(): Promise<QueueBoardWorker[]> {
    const processes = await this.jobs.workingProcesses();
    return processes
      .filter(({ jobs }) => jobs.includes(this.name))
      .map(({ name, hostname, pid, startedAt }) => ({
        id: name,
        name: `${hostname} ${pid}`,
        host: hostname,
        startedAt,
      }));
  }

  /**
   * Requeues a failed job after the earlier retries of this object, because a retry reads the payload of its job. Rejects
   * if an earlier retry has failed.
   */
  retryJob(id: string): Promise<boolean> {
    const retry = this.lastRetry.then(() => this.jobs.requeue(this, id));
    this.lastRetry = retry;
    return retry;
  }

  /** Removes a failed job. Other jobs remain, because their work would never be done. */
  removeJob(id: string): Promise<boolean> {
    return this.jobs.removeFailed(this, id);
  }

  async removeFailedJobs(): Promise<void> {
    const { failed } = await this.jobs.counts(this);
    // Jobs that fail meanwhile are not removed.
    for (let left = failed; left > 0; left -= REMOVED_JOBS_PER_STEP) {
      const limit = Math.min(left, REMOVED_JOBS_PER_STEP);
      // The removal needs ids alone.
      const jobs = await this.jobs.list(this, { states: ['failed'], limit, maxBytes: 0 });
      const removed = await Promise.all(jobs.map(({ id }) => this.jobs.removeFailed(this, id)));
      if (!removed.some(Boolean)) return;
    }
  }

  pause(): Promise<void> {
    return this.jobs.pause(this);
  }

  resume(): Promise<void> {
    return this.jobs.resume(this);
  }

  isPaused(): Promise<boolean> {
    return this.jobs.isPaused(this);
  }
}

const toBoardJob = (job: JobWithState, stack?: string): QueueBoardJob => ({
  id: job.id,
  name: job.job,
  state: job.state,
  data: job.payload,
  isShortened: job.isShortened,
  progress: job.progress === null ? undefined : (job.progress as string | number | boolean | object),
  result: job.result,
  error: job.error,
  stack,
  attempts: job.attempts,
  addedAt: job.addedAt,
  startedAt: job.startedAt,
  finishedAt: job.finishedAt,
  worker: null,
});
