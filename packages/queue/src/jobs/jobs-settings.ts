import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { RedisTarget } from '../redis-target.js';

/** Options of {@link Jobs}. */
export interface JobsSettings {
  redis: RedisTarget;
  /**
   * Definitions of all jobs of the service. Startup fails if one of them has no handler. All processes with one prefix
   * must list the same jobs.
   */
  definitions: readonly { readonly name: string }[];
  /** Prefix of all keys, unique per deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  /** Creates the logger of one job from its fields (pino: `(fields) => logger.child(fields)`). Default: `logger`. */
  logFor?: (fields: object) => QueueLogger;
  clock?: QueueClock;
  /** Returns the trace fields of the current request, for jobs added without a context. */
  context?: () => TraceContext;
  /**
   * Time for which {@link Jobs.stop} lets running jobs continue before it aborts their signal, in milliseconds. Default
   * 10,000.
   */
  stopGraceMs?: number;
  /** Time until another worker takes over the job of a killed worker, in milliseconds. Default 30,000. */
  stalledAfterMs?: number;
  /**
   * Heartbeat interval of a worker process in milliseconds; after three missed heartbeats it counts as gone. Default
   * 5,000.
   */
  heartbeatMs?: number;
}

/** Options for adding one job. */
export interface AddJobOptions {
  /** Deterministic id: while a job with it is retained, adding it again has no effect. */
  id?: string;
  delayMs?: number;
  /** Trace fields of the request that caused the job. Default: those of {@link JobsSettings.context}. */
  context?: TraceContext;
  /** True for one of very many jobs. Workers take it when no other job is waiting. Default false. */
  isBulk?: boolean;
}

/** Runner of inline work of one kind: work that a process runs without a job. */
export interface InlineRunner<P> {
  /**
   * Returns false if the work must become a job because all slots are taken, in this process or for its destination.
   */
  hasRoom(payload: P): boolean;
  /**
   * Runs the handler under the limits of its kind; `concurrency` is counted separately for inline work and for jobs.
   * Returns null if there is no capacity. Rejects with the handler's error, or, after an early end, with its reason
   * once the handler has ended. Inline work is never retried.
   */
  run(payload: P, id: string, context: TraceContext): Promise<void> | null;
}

/** Metrics of one kind of job. The numbers of jobs are those in Redis, the same in every process. */
export interface JobMetrics {
  job: string;
  /** Number of jobs that are ready to run. */
  waiting: number;
  /** Number of running jobs. */
  active: number;
  /** Number of jobs that wait for a retry or for a rate limit. */
  delayed: number;
  /** Number of permanently failed jobs. */
  failed: number;
  /** Attempts that ended in this process since it started. Their growth is the rate. */
  processed: { completed: number; failed: number };
}
