import type { QueueClock } from '../environment.js';
import type { RedisClient } from '../redis.js';
import type { JobDefinition } from './define-job.js';
import { Shares } from './shares.js';
import { Turns } from './turns.js';

/** Decision of the gate: wait the given milliseconds and come again, or go, and call `done` at the end. */
type Admission = { waitMs: number } | { done: () => void };

/** Admits work within the rate limit of its definition. */
export interface Gate<P> {
  admit(payload: P, jobId: string): Promise<Admission>;
  /** Whether work that cannot wait would be let through. Never where turns are counted in Redis. */
  isOpen(payload: P): boolean;
  /** Admits work after the gate was open; returns the function to call when it is done. */
  enter(payload: P): () => void;
}

const admitted: Admission = { done: () => {} };

/**
 * Creates the gate of one kind of job; null if its definition has no rate limit. `root` prefixes its keys and contains
 * their hash tag.
 */
export function gateOf<P>(
  definition: JobDefinition<P, unknown>,
  redis: RedisClient,
  root: string,
  clock: QueueClock,
): Gate<P> | null {
  const { rateLimit } = definition;
  if (!rateLimit) return null;
  const shares = new Shares(rateLimit.concurrency, clock);
  const turns = rateLimit.rate && new Turns(redis, root, rateLimit.rate);
  const admit: Gate<P>['admit'] = async (payload, jobId) => {
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
  return {
    admit,
    isOpen: (payload) => {
      const destination = rateLimit.key(payload);
      return destination === null || (!turns && shares.isFree(destination));
    },
    enter: (payload) => {
      const destination = rateLimit.key(payload);
      const leave = destination === null ? () => {} : shares.place(destination);
      return () => leave(true);
    },
  };
}
