import type { QueuePool } from '../database.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import type { RedisTarget } from '../redis-target.js';
import { DEFAULT_QUEUE_SCHEMA } from '../queue-schema.js';
import type { DrainSettings } from './outbox-batch-drain.js';

/**
 * Role of a process. `api` dispatches only outbox rows that the process itself has committed. The other roles also
 * dispatch rows of other processes.
 */
export type QueueRole = 'api' | 'worker' | 'all';

/** Options of {@link Outbox}. Times are in milliseconds. */
export interface OutboxOptions extends Partial<DrainSettings> {
  pool: QueuePool;
  /**
   * Location of Redis, which is used to wake other processes. If undefined, rows that another process dispatches wait
   * for its next sweep.
   */
  redis?: RedisTarget;
  /** Prefix of all Redis keys, unique per deployment. Default `switchboard`. */
  prefix?: string;
  /** Schema with the tables of this package, see `applyQueueMigrations`. Default `queue`. */
  schema?: string;
  logger?: QueueLogger;
  clock?: QueueClock;
  /** Time between two searches for rows that other processes left undispatched. Default 5,000. */
  sweepMs?: number;
  /**
   * False to wake a worker process after each commit instead of dispatching in the process that committed. Default
   * true.
   */
  drainAfterCommit?: boolean;
  /**
   * Function that returns the trace fields of the current request. They are stored with each row, and passed to
   * dispatchers and jobs.
   */
  context?: () => TraceContext;
  /** Called with the name of each fault point of the outbox that is reached. For fault tests. */
  faultPoint?: OnFaultPoint | undefined;
}

/** Options of {@link Outbox.add}. */
export interface OutboxAddOptions {
  /**
   * Key of the outbox row. For message types with `order: 'key'` it is required, and rows with the same key are
   * dispatched in order.
   */
  key?: string;
  /**
   * Earliest time at which the row is dispatched. Only the sweep checks it, so that the dispatch may be late by up to
   * the sweep's interval.
   */
  notBefore?: Date;
}

/** Default settings of {@link Outbox}. */
export const defaultOutboxSettings = {
  prefix: 'switchboard',
  schema: DEFAULT_QUEUE_SCHEMA,
  sweepMs: 5_000,
  batchSize: 100,
  maxAttempts: 10,
  retryDelayMs: 1_000,
  paceMs: 20,
  drainAfterCommit: true,
} as const;
