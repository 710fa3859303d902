import type { z } from 'zod';
import { assertName, QueueUsageError } from '../outbox/topic.js';

/** Waits between attempts: `initialMs`, doubled with each attempt up to `maxMs`, less up to half of it at random. */
export interface Backoff {
  initialMs: number;
  maxMs: number;
}

/** What {@link defineJob} is told. */
export interface JobOptions<P> {
  /** Letters, digits, `.`, `_`, `-`; for example `webhooks.deliver`. */
  name: string;
  payload: z.ZodType<P>;
  /** Attempts in all, the first included. Default 5. */
  attempts?: number;
  /** Default from 1 s to 5 minutes. */
  backoff?: Backoff;
  /** Jobs at once in one process. Default 10. */
  concurrency?: number;
  /** After this the signal is aborted and the attempt has failed, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Errors after which no further attempt makes sense. {@link FinalJobError} always is one. */
  finalErrors?: (error: unknown) => boolean;
  /** How long a finished job's id still refuses a second one, in seconds. Default one hour. */
  keepCompletedSeconds?: number;
}

/** A kind of job, with all defaults filled in. */
export type JobDefinition<P> = Readonly<Required<JobOptions<P>>>;

/** Thrown by a handler to say: this can never work. No further attempt is made. */
export class FinalJobError extends Error {
  override readonly name: string = 'FinalJobError';
}

/** An attempt took longer than its definition allows. It counts as failed and is tried again. */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
}

/** Reason of the signal when the process stops: the job is handed back and runs elsewhere, its attempt not counted. */
export class WorkerStoppingError extends Error {
  override readonly name = 'WorkerStoppingError';
}

/** Defines a job. Throws QueueUsageError on a bad name or number. */
export function defineJob<P>(options: JobOptions<P>): JobDefinition<P> {
  assertName('Job', options.name);
  const definition = {
    attempts: 5,
    backoff: { initialMs: 1_000, maxMs: 300_000 },
    concurrency: 10,
    timeoutMs: 60_000,
    finalErrors: () => false,
    keepCompletedSeconds: 3_600,
    ...options,
  };
  for (const key of ['attempts', 'concurrency', 'timeoutMs'] as const) {
    if (!Number.isInteger(definition[key]) || definition[key] < 1) {
      throw new QueueUsageError(`Job ${options.name}: ${key} must be an integer from 1`);
    }
  }
  return definition;
}

/**
 * The wait before attempt `failures + 1`, in milliseconds: exponential, and spread over its upper half so that jobs
 * that failed together do not come back together. `random` is in [0, 1).
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.initialMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(full * (1 - random / 2));
}
