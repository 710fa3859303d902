import type { QueueClock } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { JobDefinition } from './define-job.js';
import { DestinationAttemptLimiter } from './destination-concurrency-limiter.js';
import { RedisJobStartLimiter } from './redis-rate-limiter.js';

/**
 * Decision of a {@link JobRateLimiter} about a job. Either the job must wait the given number of milliseconds, or the
 * job may start and must call `done` at its end.
 */
type JobRateLimitDecision = { waitMs: number } | { done: () => void };

/** Decides when jobs of one kind may start, according to the limits per destination in the definition of the job. */
export interface JobRateLimiter<P> {
  tryAcquire(payload: P, jobId: string): Promise<JobRateLimitDecision>;
  /**
   * Returns true if an inline run of a job may start now. The result is false for rate limits that are counted in
   * Redis, unless the job has no destination.
   */
  isOpen(payload: P): boolean;
  /**
   * Counts an inline run that starts, after {@link isOpen} returned true. Returns a function that the caller must call
   * at the end of the run.
   */
  acquire(payload: P): () => void;
}

const immediateJobStartDecision: JobRateLimitDecision = { done: () => {} };

/**
 * Creates the {@link JobRateLimiter} for the limits of one kind of job. Returns null if the job's definition has no
 * limits. `root` is the prefix of the gate's Redis keys and contains the hash tag of the keys.
 */
export function createJobRateLimiter<P>(
  definition: JobDefinition<P, unknown>,
  redis: RedisClient,
  root: string,
  clock: QueueClock,
): JobRateLimiter<P> | null {
  const { rateLimit } = definition;
  if (!rateLimit) return null;
  const concurrency = new DestinationAttemptLimiter(rateLimit.concurrency, clock);
  const rateLimiter = rateLimit.rate && new RedisJobStartLimiter(redis, root, rateLimit.rate);
  const tryAcquire: JobRateLimiter<P>['tryAcquire'] = async (payload, jobId) => {
    const destination = rateLimit.key(payload);
    if (destination === null) return immediateJobStartDecision;
    const inLineMs = concurrency.estimateRetryDelayMs(destination);
    if (inLineMs > 0) return { waitMs: inLineMs };
    const releaseSlot = concurrency.countRunningAttempt(destination);
    if (!rateLimiter) return { done: () => releaseSlot(true) };
    let waitMs = Number.NaN;
    try {
      waitMs = await rateLimiter.reserveJobStart(destination, jobId);
    } finally {
      if (waitMs !== 0) releaseSlot(false);
    }
    return waitMs === 0 ? { done: () => releaseSlot(true) } : { waitMs };
  };
  return {
    tryAcquire,
    isOpen: (payload) => {
      const destination = rateLimit.key(payload);
      return destination === null || (!rateLimiter && concurrency.canStartNewAttempt(destination));
    },
    acquire: (payload) => {
      const destination = rateLimit.key(payload);
      const releaseSlot = destination === null ? () => {} : concurrency.countRunningAttempt(destination);
      return () => releaseSlot(true);
    },
  };
}
