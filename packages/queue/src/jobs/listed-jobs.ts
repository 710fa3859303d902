import type { Job, JobType, Queue } from 'bullmq';
import type { StoredJobData } from './job-attempt.js';
import { describeJobInState, type JobState, type JobWithState } from './job-with-state.js';

/** Selection of jobs in a list. Offset and limit apply to each state. */
export interface JobListFilter {
  readonly states: readonly JobState[];
  /** Number of jobs of each state that the list omits. Default 0. */
  readonly offset?: number;
  /** Maximum number of listed jobs of each state, at most 1,000. Default 100. */
  readonly limit?: number;
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

/**
 * Lists the jobs of a queue in the given states, state by state. In each state, the jobs that were added or ended last
 * are first; of delayed jobs, the jobs that become due last.
 */
export async function listJobsInStates(
  queue: Queue<StoredJobData>,
  { states, offset = 0, limit = DEFAULT_LISTED_JOBS }: JobListFilter,
): Promise<JobWithState[]> {
  const most = Math.min(limit, MAX_LISTED_JOBS);
  const lists = await Promise.all(
    states.map(async (state) => {
      const jobs = await readJobsInState(queue, state, offset, most);
      return jobs.map((job) => describeJobInState(job, state));
    }),
  );
  return lists.flat();
}

async function readJobsInState(
  queue: Queue<StoredJobData>,
  state: JobState,
  offset: number,
  limit: number,
): Promise<Job<StoredJobData>[]> {
  const jobs: Job<StoredJobData>[] = [];
  let skipped = offset;
  for (const part of bullMqStates[state]) {
    // BullMQ would read to the end of the list for a range that ends before its start.
    const left = limit - jobs.length;
    if (left < 1) break;
    jobs.push(...(await queue.getJobs([part], skipped, skipped + left - 1)));
    if (skipped > 0) skipped = Math.max(0, skipped - (await queue.getJobCountByTypes(part)));
  }
  return jobs;
}
