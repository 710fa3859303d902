import { omitUndefinedValues, processClock, silentLogger } from '../environment.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import type { Outbox } from '../outbox/outbox.js';
import type { RedisTarget } from '../redis-target.js';

/** Options of {@link Jobs}. */
export interface JobsSettings {
  redis: RedisTarget;
  /**
   * Definitions of all jobs of the service. The start fails if one of them has no handler. All processes with one
   * prefix must list the same jobs.
   */
  definitions: readonly { readonly name: string }[];
  /** Prefix of all Redis keys of jobs. It must be unique per deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  /** Creates the logger of one job from its fields (pino: `(fields) => logger.child(fields)`). Default: `logger`. */
  logFor?: (fields: object) => QueueLogger;
  clock?: QueueClock;
  /** Returns the trace fields of the current request, for jobs that are added without them. */
  context?: () => TraceContext;
  /**
   * Time in milliseconds for which running jobs may continue after {@link Jobs.stop}. Then their signal is aborted.
   * Default 10,000.
   */
  stopGraceMs?: number;
  /** Time until another worker takes over the job of a killed worker, in milliseconds. Default 30,000. */
  stalledAfterMs?: number;
  /**
   * Heartbeat interval of a worker process in milliseconds; after three missed heartbeats it counts as gone. Default
   * 5,000.
   */
  heartbeatMs?: number;
  /**
   * Outbox that stores the rows of jobs added in transactions (`Jobs.addInTransaction`), with the same prefix. All
   * processes of the deployment need it then. Default: none, and such jobs cannot be added.
   */
  outbox?: Outbox;
  /**
   * Time in milliseconds after which a job with a row is looked for in Redis, and added again if Redis has lost it. For
   * a job that waits for long the time doubles, up to ten minutes. Default 30,000.
   */
  recheckMs?: number;
  /** Interval between two reads of rows whose jobs may be missing in Redis, in milliseconds. Default 5,000. */
  sweepMs?: number;
  /** Called with the name of each fault point of jobs that is reached. For fault tests. */
  faultPoint?: OnFaultPoint | undefined;
}

/** Settings without a default. */
type OptionalSettings = 'outbox' | 'faultPoint';

/** {@link JobsSettings} in which all settings with a default have a value. */
export type CompleteSettings = Required<Omit<JobsSettings, OptionalSettings>> & Pick<JobsSettings, OptionalSettings>;

/** Returns settings with the defaults. */
export function addDefaultSettings(settings: JobsSettings): CompleteSettings {
  const logger = settings.logger ?? silentLogger;
  return {
    prefix: 'switchboard',
    logFor: () => logger,
    clock: processClock,
    context: () => ({}),
    stopGraceMs: 10_000,
    stalledAfterMs: 30_000,
    heartbeatMs: 5_000,
    recheckMs: 30_000,
    sweepMs: 5_000,
    logger,
    ...omitUndefinedValues(settings),
  };
}

/** Options for adding one job. */
export interface AddJobOptions {
  /** Id of the job. While a job with this id exists, adding it again has no effect. */
  id?: string;
  delayMs?: number;
  /** Trace fields of the request that added the job. Default: those of {@link JobsSettings.context}. */
  context?: TraceContext;
  /**
   * Priority of the job among the waiting jobs of its kind, from 1 (first) to 1,000,000. Jobs without a priority run
   * before all jobs with one.
   */
  priority?: number;
  /** True for one of very many jobs. Workers run it only when no other job is waiting. Default false. */
  isBulk?: boolean;
}

/** Runs the handler of one kind of job inline, without a job in Redis. */
export interface InlineRunner<P> {
  /** Returns true if there is a free slot in this process and for the destination. Otherwise a job must be added. */
  hasRoom(payload: P): boolean;
  /**
   * Runs the handler under the limits of its kind of job; `concurrency` applies separately to inline runs and to jobs.
   * Returns null if there is no capacity. Rejects with the handler's error. If the run is ended early, rejects with the
   * reason as soon as the handler has ended. An inline run is never retried.
   */
  run(payload: P, id: string, context: TraceContext): Promise<void> | null;
}

/** Metrics of one kind of job. The numbers of jobs are read from Redis and are the same in every process. */
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
  /** Numbers of attempts that have ended in this process since it started. */
  processed: { completed: number; failed: number };
}
