import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import { STATUSES } from '@bull-board/api/constants/statuses';
import type { JobCounts, JobStatus, QueueWorker, Status } from '@bull-board/api/typings/app';
import { QueueBoardError } from '../queue-board-error.js';
import type { QueueBoardJobState, QueueBoardQueue } from '../queue-board-queue.js';
import { BullBoardJob } from './bull-board-job.js';

/** Maximum number of jobs of all states that one read returns, whatever the parameter `jobsPerPage` of the request. */
const MAX_JOBS_PER_READ = 1_000;

/** Maximum number of jobs before a page of a list. Larger numbers cannot be sent to every database. */
const MAX_OFFSET = 1_000_000_000;

/** Maximum total size of the payloads in a list, in bytes. */
export const MAX_PAYLOAD_BYTES_PER_LIST = 4 * 1024 * 1024;

/** A queue of the board in the form that Bull Board expects. */
export class BullBoardQueue extends BaseAdapter {
  /** @param maxBytes maximum total size of the payloads that a read of jobs returns; 0 if the request needs ids alone */
  constructor(
    readonly queue: QueueBoardQueue,
    private readonly show: (payload: unknown) => unknown,
    private readonly maxBytes: number,
  ) {
    const { description, displayName = '', retriesCompletedJobs: allowCompletedRetries = false } = queue;
    super('bullmq', { description, displayName, allowCompletedRetries });
  }

  override getName(): string {
    return this.queue.name;
  }

  override getStatuses(): Status[] {
    return [STATUSES.latest, ...this.getJobStatuses()];
  }

  override getJobStatuses(): JobStatus[] {
    return [...this.queue.states];
  }

  override async getJobCounts(): Promise<JobCounts> {
    return { ...(await this.queue.countJobs()) };
  }

  override async getJobs(states: JobStatus[], start = 0, end = -1): Promise<BullBoardJob[]> {
    const listed = states.filter((state): state is QueueBoardJobState =>
      this.queue.states.some((own) => own === state),
    );
    // Numbers of a request may be so large that their difference is not a number.
    const count = end < start || !Number.isFinite(end) ? MAX_JOBS_PER_READ : end - start + 1;
    // The limit applies to each state.
    const limit = Math.min(count, Math.floor(MAX_JOBS_PER_READ / Math.max(1, listed.length)));
    const page = { offset: Math.min(start, MAX_OFFSET), limit, maxBytes: this.maxBytes };
    const jobs = await this.queue.listJobs(listed, page);
    return jobs.map((job) => new BullBoardJob(job, this.queue, this.show));
  }

  override async getJob(id: string): Promise<BullBoardJob | null> {
    const job = await this.queue.findJob(id);
    return job && new BullBoardJob(job, this.queue, this.show);
  }

  override async getWorkers(): Promise<QueueWorker[] | null> {
    const workers = await this.queue.listWorkers?.();
    if (workers === undefined) return null;
    const now = Date.now();
    return workers.map(({ id, name, host, startedAt }) => ({
      id,
      name,
      addr: host,
      age: Math.round((now - startedAt.getTime()) / 1000),
    }));
  }

  override async clean(status: string): Promise<void> {
    if (status !== 'failed') throw new QueueBoardError('BOARD_NOT_FOUND');
    await this.queue.removeFailedJobs?.();
  }

  override async pause(): Promise<void> {
    await this.queue.pause?.();
  }

  override async resume(): Promise<void> {
    await this.queue.resume?.();
  }

  override async isPaused(): Promise<boolean> {
    return (await this.queue.isPaused?.()) ?? false;
  }

  override async getJobLogs(): Promise<string[]> {
    return [];
  }

  override async getMetrics() {
    return { meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 };
  }

  override async getRedisInfo(): Promise<null> {
    return null;
  }

  override async getGlobalConcurrency(): Promise<null> {
    return null;
  }

  override async getJobSchedulers(): Promise<[]> {
    return [];
  }

  override async getJobSchedulersCount(): Promise<number> {
    return 0;
  }

  // The board does not serve the routes that call the following methods.
  override addJob = throwNotFoundError;
  override empty = throwNotFoundError;
  override obliterate = throwNotFoundError;
  override promoteAll = throwNotFoundError;
  override removeJobScheduler = throwNotFoundError;
  override updateJobScheduler = throwNotFoundError;
  override runJobSchedulerNow = throwNotFoundError;
  override setGlobalConcurrency = throwNotFoundError;
}

async function throwNotFoundError(): Promise<never> {
  throw new QueueBoardError('BOARD_NOT_FOUND');
}
