import type { QueuePool } from '../database.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import type { RedisTarget } from '../redis-target.js';
import type { DrainSettings } from './batch-drain.js';

/**
 * Role of a process: `api` drains only rows committed by the process itself; the other roles also drain rows of other
 * processes.
 */
export type QueueRole = 'api' | 'worker' | 'all';

/** Options of {@link Outbox}. Times in milliseconds. */
export interface OutboxOptions extends Partial<DrainSettings> {
  pool: QueuePool;
  /** Redis of the wakeup queue. Without it, rows that other processes dispatch wait for their next sweep. */
  redis?: RedisTarget;
  /** Prefix of all keys, unique per deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  clock?: QueueClock;
  /** Time between two sweeps. Default 5,000. */
  sweepMs?: number;
  /** False to always wake workers instead of draining in the process that committed. Default true. */
  drainAfterCommit?: boolean;
  /** Returns the trace fields of the current request, stored with each row and passed to dispatchers and jobs. */
  context?: () => TraceContext;
  /** Receives the fault points of the outbox. For fault tests. */
  faultPoint?: OnFaultPoint | undefined;
}

/** Options of {@link Outbox.add}. */
export interface AddOptions {
  /**
   * Key of a row. Rows with the same key keep their order for message types with `order: 'key'`, which require a key.
   */
  key?: string;
  /** Earliest dispatch time. Checked by the sweep, so that the dispatch may be late by up to its interval. */
  notBefore?: Date;
}

/** Default settings of {@link Outbox}. */
export const outboxDefaults = {
  prefix: 'switchboard',
  sweepMs: 5_000,
  batchSize: 100,
  maxAttempts: 10,
  retryDelayMs: 1_000,
  paceMs: 20,
  drainAfterCommit: true,
} as const;
