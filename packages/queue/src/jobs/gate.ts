import type { QueueClock } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { JobDefinition } from './define-job.js';
import { Shares } from './shares.js';
import { Turns } from './turns.js';

/** What a job is told at the gate: come again in so many milliseconds, or go, and say when you are done. */
export type Admission = { waitMs: number } | { done: () => void };

/** Lets a job through when its definition's rate limit allows it. */
export type Gate<P> = (payload: P, jobId: string) => Promise<Admission>;

const admitted: Admission = { done: () => {} };

/** The gate of one kind of job; null when its definition has no rate limit. `root` begins its keys and holds their hash tag. */
export function gateOf<P>(
  definition: JobDefinition<P>,
  redis: RedisClient,
  root: string,
  clock: QueueClock,
): Gate<P> | null {
  const { rateLimit } = definition;
  if (!rateLimit) return null;
  const shares = new Shares(rateLimit.concurrency, clock);
  const turns = rateLimit.rate && new Turns(redis, root, rateLimit.rate);
  return async (payload, jobId) => {
    const destination = rateLimit.key(payload);
    if (destination === null) return admitted;
    const inLineMs = shares.waitMs(destination);
    if (inLineMs > 0) return { waitMs: inLineMs };
    const leave = shares.place(destination);
    if (!turns) return { done: () => leave(true) };
    let waitMs = Number.NaN;
    try {
      waitMs = await turns.take(destination, jobId);
    } finally {
      if (waitMs !== 0) leave(false);
    }
    return waitMs === 0 ? { done: () => leave(true) } : { waitMs };
  };
}
