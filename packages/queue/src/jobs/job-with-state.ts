import type { Job } from 'bullmq';
import { decodeDates } from '../payload-json.js';
import type { JobData } from './job-attempt.js';
import { toAddedJobId } from './job-ids.js';

/**
 * State of a job. `waiting` jobs are ready, `delayed` ones wait for a time, a retry or a rate limit, and
 * `waiting-children` ones wait for other jobs of their flow.
 */
export type JobState = 'waiting' | 'delayed' | 'active' | 'waiting-children' | 'completed' | 'failed';

/** A job with its progress and result. */
export interface JobWithState {
  /** Name of the kind of job. */
  job: string;
  id: string;
  state: JobState;
  payload: unknown;
  /** Value that the handler reported last; null before the first report. */
  progress: unknown;
  /** Result of a completed job; null for other jobs, and for a handler that returns nothing. */
  result: unknown;
  /** Error of the last failed attempt; null without failed attempts. */
  error: string | null;
  /** Number of ended attempts, without those interrupted by a stop or a killed worker. */
  attempts: number;
  addedAt: Date;
  /** Time at which the last attempt started. */
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** Maximum length of a result as JSON, in UTF-16 code units. */
export const MAX_JOB_RESULT_LENGTH = 65_536;

const toDateOrNull = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));

/** Describes a job that is stored in Redis. Returns null if it was removed meanwhile. */
export async function describeStoredJob(job: Job<JobData>): Promise<JobWithState | null> {
  const state = await job.getState();
  if (state === 'unknown') return null;
  // BullMQ represents the absence of progress by 0.
  const hasProgress = typeof job.progress === 'object';
  return {
    job: job.name,
    id: toAddedJobId(job.id),
    state: state === 'prioritized' ? 'waiting' : state,
    payload: decodeDates(job.data.payload),
    progress: hasProgress ? decodeDates(Reflect.get(job.progress as object, 'value')) : null,
    result: decodeDates(job.returnvalue ?? null),
    error: job.failedReason || null,
    attempts: job.attemptsMade,
    addedAt: new Date(job.timestamp),
    startedAt: toDateOrNull(job.processedOn),
    finishedAt: toDateOrNull(job.finishedOn),
  };
}
