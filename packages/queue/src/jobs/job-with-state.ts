import type { Job } from 'bullmq';
import { decodeDatesInJsonValue } from '../payload-json.js';
import type { StoredJobData } from './job-attempt.js';
import { toAddedJobId } from './job-ids.js';

/**
 * State of a job. `waiting` jobs are ready to run. `delayed` jobs wait for a time, a retry or a rate limit.
 * `waiting-children` jobs wait for their child jobs to end.
 */
export type JobState = 'waiting' | 'delayed' | 'active' | 'waiting-children' | 'completed' | 'failed';

/** A job with its state, progress and result. */
export interface JobWithState {
  /** Name of the kind of the job. */
  job: string;
  id: string;
  state: JobState;
  payload: unknown;
  /** Progress value that the job handler reported last; null before the first report. */
  progress: unknown;
  /** Result of a completed job; null for a job that is not completed, or whose handler returns nothing. */
  result: unknown;
  /** Error of the job's last failed attempt; null if no attempt has failed. */
  error: string | null;
  /**
   * Number of ended attempts of the job. Excludes attempts that were interrupted by a stop of the process or a killed
   * worker.
   */
  attempts: number;
  addedAt: Date;
  /** Time at which the last attempt of the job started; null before the first attempt. */
  startedAt: Date | null;
  finishedAt: Date | null;
  /** True if payload, progress and result are null because the jobs of the list exceed its `maxBytes`. */
  isShortened?: true;
}

/** Maximum length of a job's result as JSON text, in UTF-16 code units. */
export const MAX_JOB_RESULT_LENGTH = 65_536;

const millisecondsToDateOrNull = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));

/** Describes a job that is stored in Redis. Returns null if the job was removed meanwhile. */
export async function describeStoredJob(job: Job<StoredJobData>): Promise<JobWithState | null> {
  const state = await job.getState();
  return state === 'unknown' ? null : describeJobInState(job, state === 'prioritized' ? 'waiting' : state);
}

/** Describes a job that is stored in Redis and whose state is known. */
export function describeJobInState(job: Job<StoredJobData>, state: JobState): JobWithState {
  // BullMQ represents the absence of progress by 0.
  const hasProgress = typeof job.progress === 'object';
  return {
    job: job.name,
    id: toAddedJobId(job.id),
    state,
    payload: decodeDatesInJsonValue(job.data.payload),
    progress: hasProgress ? decodeDatesInJsonValue(Reflect.get(job.progress as object, 'value')) : null,
    result: decodeDatesInJsonValue(job.returnvalue ?? null),
    error: job.failedReason || null,
    attempts: job.attemptsMade,
    addedAt: new Date(job.timestamp),
    startedAt: millisecondsToDateOrNull(job.processedOn),
    finishedAt: millisecondsToDateOrNull(job.finishedOn),
  };
}
