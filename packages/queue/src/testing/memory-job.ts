import type { JobsOptions } from 'bullmq';
import { decodeDatesInJsonValue } from '../payload-json.js';
import type { StoredJobData } from '../jobs/job-attempt.js';
import type { FailedJob } from '../jobs/failed-jobs.js';
import type { JobWithState, JobState } from '../jobs/job-with-state.js';
import { toAddedJobId } from '../jobs/job-ids.js';
import type { JobPreparedForBullMq } from '../jobs/job-queues.js';

/**
 * A job in memory, with those fields and methods of a BullMQ job that the job runner uses. Times are in milliseconds.
 */
export class MemoryJob {
  readonly id: string;
  readonly name: string;
  readonly data: StoredJobData;
  readonly opts: JobsOptions;
  state: JobState = 'waiting';
  attemptsMade = 0;
  progress: unknown = null;
  result: unknown = null;
  error: string | null = null;
  stack: string | null = null;
  startedMs: number | null = null;
  finishedMs: number | null = null;
  /** Earliest time of the next attempt of the job, in milliseconds of the clock. */
  readyMs: number;
  readonly children: MemoryJob[] = [];
  parent: MemoryJob | null = null;
  /** True if the parent of this job does not fail when this job fails permanently. */
  ignoresFailure = false;

  constructor(
    { name, data, opts }: JobPreparedForBullMq,
    readonly addedMs: number,
  ) {
    this.id = opts.jobId ?? '';
    this.name = name;
    this.data = data;
    this.opts = { ...opts };
    this.readyMs = addedMs + (opts.delay ?? 0);
    if (this.readyMs > addedMs) this.state = 'delayed';
  }

  async updateProgress(progress: object): Promise<void> {
    this.progress = Reflect.get(progress, 'value');
  }

  async moveToDelayed(): Promise<void> {
    this.state = 'waiting';
  }

  async getChildrenValues(): Promise<Record<string, unknown>> {
    const completed = this.children.filter(({ state }) => state === 'completed');
    return Object.fromEntries(completed.map((child) => [child.key, child.result]));
  }

  async getIgnoredChildrenFailures(): Promise<Record<string, string>> {
    const failed = this.children.filter(({ state }) => state === 'failed');
    return Object.fromEntries(failed.map((child) => [child.key, child.error ?? '']));
  }

  /** Position of the job among the ready jobs. Jobs without a priority have 0 and come first. */
  get priority(): number {
    return this.opts.priority ?? 0;
  }

  private get key(): string {
    return `memory:${this.name}:${this.id}`;
  }
}

const nullableMillisecondsToDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Returns a job in memory in the form that `Jobs.find` returns. */
export function describeMemoryJob(job: MemoryJob, nowMs: number): JobWithState {
  const isReady = job.state === 'delayed' && job.readyMs <= nowMs;
  return {
    job: job.name,
    id: toAddedJobId(job.id),
    state: isReady ? 'waiting' : job.state,
    payload: decodeDatesInJsonValue(job.data.payload),
    progress: decodeDatesInJsonValue(job.progress),
    result: decodeDatesInJsonValue(job.result),
    error: job.error,
    attempts: job.attemptsMade,
    addedAt: new Date(job.addedMs),
    startedAt: nullableMillisecondsToDate(job.startedMs),
    finishedAt: nullableMillisecondsToDate(job.finishedMs),
  };
}

/** Returns the size of the fields of a job in memory that `maxBytes` of a list limits, about as Redis would store them. */
export const countBytesOfMemoryJob = ({ data, progress, result, stack }: MemoryJob): number =>
  [data, progress, result, stack].reduce<number>(
    (sum, value) => sum + (value === null ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '')),
    0,
  );

/** Returns a job of a list without the fields that `maxBytes` limits. */
export const shortenMemoryJob = (job: JobWithState): JobWithState => ({
  ...job,
  payload: null,
  progress: null,
  result: null,
  isShortened: true,
});

/** Returns a permanently failed job in memory in the form that `Jobs.failed` returns. */
export const describeFailedMemoryJob = (job: MemoryJob): FailedJob => ({
  job: job.name,
  id: toAddedJobId(job.id),
  payload: decodeDatesInJsonValue(job.data.payload),
  context: job.data.context,
  attempts: job.attemptsMade,
  error: job.error ?? '',
  stack: job.stack,
  addedAt: new Date(job.addedMs),
  startedAt: nullableMillisecondsToDate(job.startedMs),
  failedAt: new Date(job.finishedMs ?? job.addedMs),
});

/** Returns a failed job of a list without the fields that `maxBytes` limits. */
export const shortenFailedMemoryJob = (job: FailedJob): FailedJob => ({
  ...job,
  payload: null,
  context: {},
  stack: null,
  isShortened: true,
});
