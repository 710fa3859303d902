import type { JobType, Queue } from 'bullmq';
import type { RedisClient } from '../redis.js';
import { countSizesWithin, DEFAULT_MAX_READ_BYTES } from '../size-limits.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId } from './job-ids.js';
import { describeJobInState, type JobState, type JobWithState } from './job-with-state.js';

/** Selection of jobs in a list. Offset and limit apply to each state. */
export interface JobListFilter {
  readonly states: readonly JobState[];
  /** Number of jobs of each state that the list omits. Default 0. */
  readonly offset?: number;
  /** Maximum number of listed jobs of each state, at most 1,000. Default 100. */
  readonly limit?: number;
  /**
   * Maximum total size of the payloads, progress values, results and stack traces that the list reads, in bytes. Jobs
   * from the first one that exceeds the size are listed without them (`isShortened`). Default 4 MiB; `Infinity` for no
   * maximum.
   */
  readonly maxBytes?: number;
}

/** Default of {@link JobListFilter.limit}. */
const DEFAULT_LISTED_JOBS = 100;

/** Maximum number of jobs of a state that one list contains. */
const MAX_LISTED_JOBS = 1_000;

/** States of BullMQ that each state of a job consists of. BullMQ stores waiting jobs with a priority separately. */
const bullMqStates = {
  waiting: ['waiting', 'prioritized'],
  delayed: ['delayed'],
  active: ['active'],
  'waiting-children': ['waiting-children'],
  completed: ['completed'],
  failed: ['failed'],
} as const satisfies Readonly<Record<JobState, readonly JobType[]>>;

const jobStates = Object.keys(bullMqStates) as JobState[];

export async function countJobsByState(queue: Queue<StoredJobData>): Promise<Record<JobState, number>> {
  const counts = await queue.getJobCounts(...Object.values(bullMqStates).flat());
  const sums = jobStates.map((state) => {
    const parts: readonly string[] = bullMqStates[state];
    return [state, parts.reduce((sum, part) => sum + (counts[part] ?? 0), 0)] as const;
  });
  return Object.fromEntries(sums) as Record<JobState, number>;
}

/** A job of a list before its fields are read. */
interface ListedJobId {
  /** Id with which BullMQ stores the job. */
  readonly id: string;
  readonly state: JobState;
}

/** Fields of a job in Redis that have any length. */
const longFields = ['data', 'progress', 'returnvalue', 'stacktrace'] as const;

/**
 * Lists the jobs of a queue in the given states, state by state. In each state, the jobs that were added or ended last
 * are first; of delayed jobs, the jobs that become due last.
 */
export async function listJobsInStates(
  queue: Queue<StoredJobData>,
  redis: RedisClient,
  { states, offset = 0, limit = DEFAULT_LISTED_JOBS, maxBytes = DEFAULT_MAX_READ_BYTES }: JobListFilter,
): Promise<JobWithState[]> {
  const most = Math.min(limit, MAX_LISTED_JOBS);
  const lists = await Promise.all(
    states.map(async (state) => {
      const ids = await readJobIdsInState(queue, state, offset, most);
      return ids.map((id) => ({ id, state }));
    }),
  );
  const listed = lists.flat();
  const sizes = await Promise.all(
    listed.map(async ({ id }) => (maxBytes === Infinity ? 0 : readJobSize(queue, redis, id))),
  );
  const completeCount = countSizesWithin(maxBytes, sizes);
  const jobs = await Promise.all(
    listed.map((job, index) => (index < completeCount ? readJob(queue, job) : readShortenedJob(queue, redis, job))),
  );
  return jobs.filter((job) => job !== null);
}

async function readJobIdsInState(
  queue: Queue<StoredJobData>,
  state: JobState,
  offset: number,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let skipped = offset;
  for (const part of bullMqStates[state]) {
    // BullMQ would read to the end of the list for a range that ends before its start.
    const left = limit - ids.length;
    if (left < 1) break;
    ids.push(...(await queue.getRanges([part], skipped, skipped + left - 1)));
    if (skipped > 0) skipped = Math.max(0, skipped - (await queue.getJobCountByTypes(part)));
  }
  return ids;
}

/** Returns the total size of the fields of a job that have any length, in bytes; 0 for a job that does not exist. */
export async function readJobSize(queue: Queue<StoredJobData>, redis: RedisClient, id: string): Promise<number> {
  const sizes = await Promise.all(longFields.map((field) => redis.hstrlen(queue.toKey(id), field)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns null if the job was removed meanwhile. */
async function readJob(queue: Queue<StoredJobData>, { id, state }: ListedJobId): Promise<JobWithState | null> {
  const job = await queue.getJob(id);
  return job === undefined ? null : describeJobInState(job, state);
}

/** Reads a job without its long fields. Returns null if the job was removed meanwhile. */
export async function readShortenedJob(
  queue: Queue<StoredJobData>,
  redis: RedisClient,
  { id, state }: ListedJobId,
): Promise<JobWithState | null> {
  const fields = ['name', 'failedReason', 'atm', 'timestamp', 'processedOn', 'finishedOn'] as const;
  const [name, error, attempts, addedAt, startedAt, finishedAt] = await redis.hmget(queue.toKey(id), ...fields);
  if (typeof name !== 'string') return null;
  const toDate = (ms: string | null | undefined): Date | null => (ms ? new Date(Number(ms)) : null);
  return {
    job: name,
    id: toAddedJobId(id),
    state,
    payload: null,
    progress: null,
    result: null,
    error: error || null,
    attempts: Number(attempts ?? 0),
    addedAt: new Date(Number(addedAt)),
    startedAt: toDate(startedAt),
    finishedAt: toDate(finishedAt),
    isShortened: true,
  };
}
