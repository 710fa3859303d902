import type { Job, Queue } from 'bullmq';
import type { TraceContext } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId, listPossibleStoredJobIds } from './job-ids.js';

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

/**
 * Maximum number of failed jobs that are retained per kind of job. Beyond this number the oldest failed jobs are
 * removed.
 */
export const MAX_FAILED_JOBS = 10_000;

/** Number of failed jobs that are read from Redis at a time. */
const FAILED_JOBS_PER_REDIS_READ = 500;

/**
 * Lists and requeues the permanently failed jobs of a deployment. Failed jobs are retained until they are requeued or
 * too many newer jobs have failed.
 */
export class FailedJobs {
  constructor(
    private readonly names: readonly string[],
    private readonly queue: (name: string) => Queue<StoredJobData>,
    /** Function that is called with failed jobs before the jobs are requeued. */
    private readonly beforeRequeue: (jobs: readonly Job<StoredJobData>[]) => Promise<void>,
  ) {}

  /** Lists the failed jobs of all kinds that match a filter, newest first. */
  async listFailedJobs(filter: FailedJobFilter, offset: number, limit: number): Promise<FailedJob[]> {
    const kinds = await Promise.all(
      this.listJobNamesOfFilter(filter).map((name) => this.listNewestFailedJobs(name, filter, offset + limit)),
    );
    const jobs = kinds.flat().map(toFailedJobDescription);
    return jobs.toSorted((a, b) => b.failedAt.getTime() - a.failedAt.getTime()).slice(offset, offset + limit);
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
   * Removes a failed job. Returns false if no failed job has this id, for example because another process has requeued
   * the job.
   */
  async removeFailedJob(name: string, id: string): Promise<boolean> {
    const job = await this.findStoredFailedJob(name, id);
    if (!job) return false;
    try {
      await job.remove();
      return true;
    } catch (error) {
      if (await job.isFailed()) throw error;
      return false;
    }
  }

  /** Requeues all failed jobs that match a filter. Returns the number of requeued jobs. */
  async requeueMatchingFailedJobs(filter: FailedJobFilter): Promise<number> {
    let count = 0;
    for (const name of this.listJobNamesOfFilter(filter)) {
      // Reads all jobs first, because requeued jobs would shift the pages.
      const jobs = await this.listNewestFailedJobs(name, filter, Number.POSITIVE_INFINITY);
      for (let first = 0; first < jobs.length; first += FAILED_JOBS_PER_REDIS_READ) {
        const page = jobs.slice(first, first + FAILED_JOBS_PER_REDIS_READ);
        await this.beforeRequeue(page);
        const retried = await Promise.all(page.map(requeueStoredFailedJob));
        count += retried.filter(Boolean).length;
      }
    }
    return count;
  }

  private listJobNamesOfFilter({ job }: FailedJobFilter): readonly string[] {
    return job ? [job.name] : this.names;
  }

  /** Returns the newest failed jobs of one kind that match the filter, at most `limit`. */
  private async listNewestFailedJobs(
    name: string,
    filter: FailedJobFilter,
    limit: number,
  ): Promise<Job<StoredJobData>[]> {
    const passed: Job<StoredJobData>[] = [];
    for (let first = 0; passed.length < limit; first += FAILED_JOBS_PER_REDIS_READ) {
      const page = await this.queue(name).getFailed(first, first + FAILED_JOBS_PER_REDIS_READ - 1);
      passed.push(...page.filter((job) => failedJobMatchesFilter(job, filter)));
      // Jobs are read from newest to oldest, so no later page has a newer job.
      const oldest = page.at(-1)?.finishedOn ?? 0;
      if (page.length < FAILED_JOBS_PER_REDIS_READ || (filter.since && oldest < filter.since.getTime())) break;
    }
    return passed.slice(0, limit);
  }

  private async findStoredFailedJob(name: string, id: string): Promise<Job<StoredJobData> | null> {
    for (const stored of listPossibleStoredJobIds(id)) {
      const job = await this.queue(name).getJob(stored);
      if (job && (await job.isFailed())) return job;
    }
    return null;
  }
}

function failedJobMatchesFilter(job: Job<StoredJobData>, { error, since, until }: FailedJobFilter): boolean {
  const failedAt = job.finishedOn ?? 0;
  if (since && failedAt < since.getTime()) return false;
  if (until && failedAt >= until.getTime()) return false;
  return error === undefined || (job.failedReason ?? '').includes(error);
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
