import type { Job, Queue } from 'bullmq';
import type { TraceContext } from '../environment.js';
import { reviveDates } from '../payload-json.js';
import type { JobData } from './attempt.js';
import { publicId, storedIds } from './job-ids.js';

/** A job that failed for good, as an operator sees it. */
export interface FailedJob {
  /** Name of its kind. */
  job: string;
  id: string;
  payload: unknown;
  /** The request that caused it. */
  context: TraceContext;
  /** Attempts that failed; those that a stop or a killed worker cut short are not among them. */
  attempts: number;
  /** Name and message of the last error. */
  error: string;
  /** Stack of the last error, if known. */
  stack: string | null;
  addedAt: Date;
  /** When the last attempt began. */
  startedAt: Date | null;
  failedAt: Date;
}

/** Which failed jobs. What is left out does not restrict. */
export interface FailedJobFilter {
  /** A kind of job. */
  job?: { readonly name: string };
  /** A part of the error's text. */
  error?: string;
  /** Failed at this time or later. */
  since?: Date;
  /** Failed before this time. */
  until?: Date;
}

/** Failed jobs that are kept per kind of job; past them the oldest go. */
export const KEEP_FAILED = 10_000;

/** Jobs per read. */
const PAGE = 500;

/** The failed jobs of a deployment: kept until they are run again or pushed out by newer ones. */
export class FailedJobs {
  constructor(
    private readonly names: readonly string[],
    private readonly queue: (name: string) => Queue<JobData>,
  ) {}

  /** Newest first, over all kinds. */
  async list(filter: FailedJobFilter, offset: number, limit: number): Promise<FailedJob[]> {
    const kinds = await Promise.all(this.kinds(filter).map((name) => this.scan(name, filter, offset + limit)));
    const jobs = kinds.flat().map(describe);
    return jobs.toSorted((a, b) => b.failedAt.getTime() - a.failedAt.getTime()).slice(offset, offset + limit);
  }

  async find(name: string, id: string): Promise<FailedJob | null> {
    const job = await this.findStored(name, id);
    return job ? describe(job) : null;
  }

  /** False when there is no such failed job. */
  async requeue(name: string, id: string): Promise<boolean> {
    const job = await this.findStored(name, id);
    return job ? retry(job) : false;
  }

  /** Requeues all matching jobs and returns their number. */
  async requeueAll(filter: FailedJobFilter): Promise<number> {
    let count = 0;
    for (const name of this.kinds(filter)) {
      // All are read first: those that run again would move the pages.
      const jobs = await this.scan(name, filter, Number.POSITIVE_INFINITY);
      for (let first = 0; first < jobs.length; first += PAGE) {
        const retried = await Promise.all(jobs.slice(first, first + PAGE).map(retry));
        count += retried.filter(Boolean).length;
      }
    }
    return count;
  }

  private kinds({ job }: FailedJobFilter): readonly string[] {
    return job ? [job.name] : this.names;
  }

  /** The newest jobs of one kind that pass, at most `limit`. */
  private async scan(name: string, filter: FailedJobFilter, limit: number): Promise<Job<JobData>[]> {
    const passed: Job<JobData>[] = [];
    for (let first = 0; passed.length < limit; first += PAGE) {
      const page = await this.queue(name).getFailed(first, first + PAGE - 1);
      passed.push(...page.filter((job) => passes(job, filter)));
      // From newest to oldest: nothing further on is newer.
      const oldest = page.at(-1)?.finishedOn ?? 0;
      if (page.length < PAGE || (filter.since && oldest < filter.since.getTime())) break;
    }
    return passed.slice(0, limit);
  }

  private async findStored(name: string, id: string): Promise<Job<JobData> | null> {
    for (const stored of storedIds(id)) {
      const job = await this.queue(name).getJob(stored);
      if (job && (await job.isFailed())) return job;
    }
    return null;
  }
}

function passes(job: Job<JobData>, { error, since, until }: FailedJobFilter): boolean {
  const failedAt = job.finishedOn ?? 0;
  if (since && failedAt < since.getTime()) return false;
  if (until && failedAt >= until.getTime()) return false;
  return error === undefined || (job.failedReason ?? '').includes(error);
}

/** Requeues a job with all its attempts. Returns false if another process did so. */
async function retry(job: Job<JobData>): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    if (await job.isFailed()) throw error;
    return false;
  }
}

const describe = (job: Job<JobData>): FailedJob => ({
  job: job.name,
  id: publicId(job.id),
  payload: reviveDates(job.data.payload),
  context: job.data.context,
  attempts: job.attemptsMade,
  error: job.failedReason ?? '',
  stack: job.stacktrace?.at(-1) ?? null,
  addedAt: new Date(job.timestamp),
  startedAt: job.processedOn === undefined ? null : new Date(job.processedOn),
  failedAt: new Date(job.finishedOn ?? 0),
});
