import type { Job } from 'bullmq';
import type { TraceContext } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { countSizesWithin, DEFAULT_MAX_READ_BYTES, divideBySize } from '../size-limits.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId, listPossibleStoredJobIds } from './job-ids.js';
import type { BullMqJobQueues } from './job-queues.js';
import { readJobSize, readShortenedJob } from './listed-jobs.js';

/** A permanently failed job in the form that operators see. */
export interface FailedJob {
  /** Name of the kind of the failed job. */
  job: string;
  id: string;
  payload: unknown;
  /** Trace fields of the request that added the job. */
  context: TraceContext;
  /**
   * Number of failed attempts of the job. Excludes attempts that were interrupted by a stop of the process or a killed
   * worker.
   */
  attempts: number;
  /** Name and message of the error of the job's last attempt. */
  error: string;
  /** Stack trace of the error of the job's last attempt; null if the stack trace is unknown. */
  stack: string | null;
  addedAt: Date;
  /** Time at which the last attempt of the failed job started; null if the time is unknown. */
  startedAt: Date | null;
  failedAt: Date;
  /** True if payload and stack are null and the context is empty, because the jobs of the list exceed its `maxBytes`. */
  isShortened?: true;
}

/** Filter of failed jobs. An absent condition matches all jobs. */
export interface FailedJobFilter {
  /** Kind of job that matches the filter. */
  job?: { readonly name: string };
  /** Text that the error of a matching failed job contains. */
  error?: string;
  /** Earliest time of failure of a matching job, inclusive. */
  since?: Date;
  /** Latest time of failure of a matching job, exclusive. */
  until?: Date;
}

/** Page of a list of failed jobs. */
export interface FailedJobPage {
  /** Number of jobs that the list omits. Default 0. */
  offset?: number;
  /** Maximum number of listed jobs. Default 100. */
  limit?: number;
  /**
   * Maximum total size of the payloads, progress values and stack traces that the list reads, in bytes. Jobs from the
   * first one that exceeds the size are listed without them (`isShortened`). Default 4 MiB.
   */
  maxBytes?: number;
}

/**
 * Maximum number of failed jobs that are retained per kind of job. Beyond this number the oldest failed jobs are
 * removed.
 */
export const MAX_FAILED_JOBS = 10_000;

/** Maximum number of failed jobs that are read from Redis at a time. */
const FAILED_JOBS_PER_REDIS_READ = 500;

/** A failed job of a list, before its fields of any length are read. */
interface ListedFailedJob {
  /** Name of the kind of the failed job. */
  readonly name: string;
  /** Id with which BullMQ stores the job. */
  readonly id: string;
  readonly failedMs: number;
}

/**
 * Lists and requeues the permanently failed jobs of a deployment. Failed jobs are retained until they are requeued or
 * too many newer jobs have failed.
 */
export class FailedJobs {
  constructor(
    private readonly queues: BullMqJobQueues,
    /** Function that is called with failed jobs before the jobs are requeued. */
    private readonly beforeRequeue: (jobs: readonly Job<StoredJobData>[]) => Promise<void>,
  ) {}

  /** Lists the failed jobs of all kinds that match a filter, newest first. */
  async listFailedJobs(
    filter: FailedJobFilter,
    { offset = 0, limit = 100, maxBytes = DEFAULT_MAX_READ_BYTES }: FailedJobPage,
  ): Promise<FailedJob[]> {
    const kinds = await Promise.all(
      this.listJobNamesOfFilter(filter).map((name) => this.listNewestFailedJobs(name, filter, offset + limit)),
    );
    const newestFirst = kinds.flat().toSorted((a, b) => b.failedMs - a.failedMs);
    const page = newestFirst.slice(offset, offset + limit);
    const completeCount = countSizesWithin(maxBytes, await Promise.all(page.map((job) => this.readSize(job))));
    const jobs = await Promise.all(
      page.map((job, index) => (index < completeCount ? this.readFailedJob(job) : this.readShortenedFailedJob(job))),
    );
    return jobs.filter((job) => job !== null);
  }

  async findFailedJob(name: string, id: string): Promise<FailedJob | null> {
    const job = await this.findStoredFailedJob(name, id);
    return job ? toFailedJobDescription(job) : null;
  }

  /** Requeues a failed job. Returns false if no failed job has this id. */
  async requeueFailedJob(name: string, id: string): Promise<boolean> {
    const job = await this.findStoredFailedJob(name, id);
    if (!job) return false;
    await this.beforeRequeue([job]);
    return requeueStoredFailedJob(job);
  }

  /**
   * Removes a failed job without reading its payload. Returns false if no failed job has this id, for example because
   * another process has requeued the job.
   */
  async removeFailedJob(name: string, id: string): Promise<boolean> {
    const queue = this.queues.getQueueOfJobKind(name);
    const redis = await this.queues.waitForConnection(queue);
    const isFailed = async (stored: string): Promise<boolean> =>
      (await redis.zscore(queue.toKey('failed'), stored)) !== null;
    for (const stored of listPossibleStoredJobIds(id)) {
      if (!(await isFailed(stored))) continue;
      // BullMQ does not remove a job that a worker has locked.
      if ((await queue.remove(stored)) > 0) return true;
      if (await isFailed(stored)) throw new Error(`Failed job ${id} of ${name} was not removed`);
    }
    return false;
  }

  /**
   * Requeues all failed jobs that match a filter. Returns the number of requeued jobs. The payloads that are in memory
   * at a time have at most {@link DEFAULT_MAX_READ_BYTES}, or are those of one job.
   */
  async requeueMatchingFailedJobs(filter: FailedJobFilter): Promise<number> {
    let count = 0;
    for (const name of this.listJobNamesOfFilter(filter)) {
      // Reads all ids first, because requeued jobs would shift the pages.
      const listed = await this.listNewestFailedJobs(name, filter, Number.POSITIVE_INFINITY);
      for (let first = 0; first < listed.length; first += FAILED_JOBS_PER_REDIS_READ) {
        const page = listed.slice(first, first + FAILED_JOBS_PER_REDIS_READ);
        const measured = await Promise.all(page.map(async (job) => ({ id: job.id, bytes: await this.readSize(job) })));
        for (const part of divideBySize(measured, DEFAULT_MAX_READ_BYTES, ({ bytes }) => bytes)) {
          count += await this.requeueListedJobs(name, part);
        }
      }
    }
    return count;
  }

  private async requeueListedJobs(name: string, listed: readonly { readonly id: string }[]): Promise<number> {
    const queue = this.queues.getQueueOfJobKind(name);
    const found = await Promise.all(listed.map(({ id }) => queue.getJob(id)));
    const jobs = found.filter((job) => job !== undefined);
    await this.beforeRequeue(jobs);
    const retried = await Promise.all(jobs.map(requeueStoredFailedJob));
    return retried.filter(Boolean).length;
  }

  private listJobNamesOfFilter({ job }: FailedJobFilter): readonly string[] {
    return job ? [job.name] : [...this.queues.names];
  }

  /** Returns the newest failed jobs of one kind that match the filter, at most `limit`. */
  private async listNewestFailedJobs(name: string, filter: FailedJobFilter, limit: number): Promise<ListedFailedJob[]> {
    const queue = this.queues.getQueueOfJobKind(name);
    const redis = await this.queues.waitForConnection(queue);
    const matching: ListedFailedJob[] = [];
    for (let first = 0; matching.length < limit; first += FAILED_JOBS_PER_REDIS_READ) {
      const ids = await queue.getRanges(['failed'], first, first + FAILED_JOBS_PER_REDIS_READ - 1);
      const failures = await Promise.all(
        ids.map(async (id) => ({ id, fields: await redis.hmget(queue.toKey(id), 'finishedOn', 'failedReason') })),
      );
      let oldestMs = Infinity;
      for (const { id, fields } of failures) {
        const [finishedOn, error] = fields;
        // The job was removed or requeued meanwhile.
        if (!finishedOn) continue;
        oldestMs = Number(finishedOn);
        if (failureMatchesFilter(oldestMs, error ?? '', filter)) matching.push({ name, id, failedMs: oldestMs });
      }
      // Jobs are read from newest to oldest, so no later page has a newer job.
      if (ids.length < FAILED_JOBS_PER_REDIS_READ || (filter.since && oldestMs < filter.since.getTime())) break;
    }
    return matching.slice(0, limit);
  }

  private async readSize({ name, id }: ListedFailedJob): Promise<number> {
    const queue = this.queues.getQueueOfJobKind(name);
    return readJobSize(queue, await this.queues.waitForConnection(queue), id);
  }

  /** Returns a job of a list, or null if the job has been removed or requeued since it was listed. */
  private async readFailedJob({ name, id, failedMs }: ListedFailedJob): Promise<FailedJob | null> {
    const job = await this.queues.getQueueOfJobKind(name).getJob(id);
    return job?.finishedOn === failedMs ? toFailedJobDescription(job) : null;
  }

  /**
   * Reads a failed job without payload, context and stack trace. Returns null if the job has been removed or requeued
   * since it was listed.
   */
  private async readShortenedFailedJob({ name, id, failedMs }: ListedFailedJob): Promise<FailedJob | null> {
    const queue = this.queues.getQueueOfJobKind(name);
    const redis = await this.queues.waitForConnection(queue);
    const found = await readShortenedJob(queue, redis, { id, state: 'failed' });
    if (found?.finishedAt?.getTime() !== failedMs) return null;
    const { job, attempts, error, addedAt, startedAt, finishedAt } = found;
    return {
      job,
      id: found.id,
      payload: null,
      context: {},
      attempts,
      error: error ?? '',
      stack: null,
      addedAt,
      startedAt,
      failedAt: finishedAt,
      isShortened: true,
    };
  }

  private async findStoredFailedJob(name: string, id: string): Promise<Job<StoredJobData> | null> {
    for (const stored of listPossibleStoredJobIds(id)) {
      const job = await this.queues.getQueueOfJobKind(name).getJob(stored);
      if (job && (await job.isFailed())) return job;
    }
    return null;
  }
}

function failureMatchesFilter(
  failedMs: number,
  reason: string,
  { error, since, until }: Omit<FailedJobFilter, 'job'>,
): boolean {
  if (since && failedMs < since.getTime()) return false;
  if (until && failedMs >= until.getTime()) return false;
  return error === undefined || reason.includes(error);
}

/**
 * Requeues a failed job with its full number of attempts. Returns false if another process has already requeued the
 * job.
 */
export async function requeueStoredFailedJob(job: Job<StoredJobData>): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    if (await job.isFailed()) throw error;
    return false;
  }
}

const toFailedJobDescription = (job: Job<StoredJobData>): FailedJob => ({
  job: job.name,
  id: toAddedJobId(job.id),
  payload: decodeDatesInJsonValue(job.data.payload),
  context: job.data.context,
  attempts: job.attemptsMade,
  error: job.failedReason ?? '',
  stack: job.stacktrace?.at(-1) ?? null,
  addedAt: new Date(job.timestamp),
  startedAt: job.processedOn === undefined ? null : new Date(job.processedOn),
  failedAt: new Date(job.finishedOn ?? 0),
});
