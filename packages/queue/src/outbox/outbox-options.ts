import type { QueuePool } from '../database.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { RedisTarget } from '../redis-target.js';
import { DEFAULT_QUEUE_SCHEMA } from '../queue-schema.js';
import type { OutboxBatchDispatchSettings } from './outbox-batch-drain.js';

/**
 * Role of a process. A process with role `api` dispatches only outbox rows that the process itself has committed.
 * Processes with the other roles also dispatch rows of other processes.
 */
export type QueueRole = 'api' | 'worker' | 'all';

/** Options of {@link Outbox}. Times are in milliseconds. */
export interface OutboxOptions extends Partial<OutboxBatchDispatchSettings> {
  pool: QueuePool;
  /**
   * Location of Redis, which is used to wake other processes. If undefined, rows that another process dispatches wait
   * for that process's next periodic search for rows.
   */
  redis?: RedisTarget;
  /** Prefix of all Redis keys, unique per deployment. Default `switchboard`. */
  prefix?: string;
  /** PostgreSQL schema with the tables of this package, created by `applyQueueMigrations`. Default `queue`. */
  schema?: string;
  logger?: QueueLogger;
  clock?: QueueClock;
  /**
   * Time between two searches for outbox rows that other processes have not dispatched, in milliseconds. Default 5,000.
   */
  sweepMs?: number;
  /**
   * False to wake a worker process after each commit instead of dispatching in the process that committed. Default
   * true.
   */
  drainAfterCommit?: boolean;
  /**
   * Function that returns the trace fields of the current request. The trace fields are stored with each outbox row,
   * and passed to dispatchers and jobs.
   */
  context?: () => TraceContext;
  /** Called with the name of each fault point of the outbox that is reached. Fault tests use this function. */
  faultPoint?: FaultPointListener | undefined;
}

/** Options of {@link Outbox.add}. */
export interface OutboxAddOptions {
  /**
   * Key of the outbox row. For message types with `order: 'key'` the key is required, and rows with an equal key are
   * dispatched in order.
   */
  key?: string;
  /**
   * Earliest time at which the outbox row is dispatched. Only the periodic search for rows checks this time, so the
   * dispatch may be late by up to the interval of the search.
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
