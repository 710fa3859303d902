import { omitUndefinedValues, processClock, silentLogger } from '../environment.js';
import type { QueueClock, QueueLogger, TraceContext } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { Outbox } from '../outbox/outbox.js';
import type { RedisTarget } from '../redis-target.js';

/** Options of {@link Jobs}. Only `redis` and `definitions` are required. */
export interface JobsSettings {
  redis: RedisTarget;
  /**
   * Definitions of all jobs of the service. The start fails if a job has no handler. All processes with an equal prefix
   * must list equal jobs.
   */
  definitions: readonly { readonly name: string }[];
  /** Prefix of all Redis keys of jobs. The prefix must be unique per deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  /**
   * Function that creates the logger of a job from log fields (pino: `(fields) => logger.child(fields)`). Default: a
   * function that returns `logger`.
   */
  logFor?: (fields: object) => QueueLogger;
  clock?: QueueClock;
  /**
   * Function that returns the trace fields of the current request. The fields are stored with jobs that are added
   * without trace fields.
   */
  context?: () => TraceContext;
  /**
   * Time in milliseconds for which running jobs may continue after {@link Jobs.stop}. Afterwards the signal of the
   * running jobs is aborted. Default 10,000.
   */
  stopGraceMs?: number;
  /** Time in milliseconds after which another worker takes over the job of a killed worker. Default 30,000. */
  stalledAfterMs?: number;
  /**
   * Interval between two heartbeats of a worker process, in milliseconds. After three missed heartbeats the process
   * counts as gone. Default 5,000.
   */
  heartbeatMs?: number;
  /**
   * Outbox that stores the rows of jobs added in transactions (`Jobs.addInTransaction`), with the same prefix. If a
   * process of the deployment has the outbox, all processes need it. Default: none, and jobs cannot be added in
   * transactions.
   */
  outbox?: Outbox;
  /**
   * Time in milliseconds after which a process checks whether a job added in a transaction is in Redis. A job that
   * Redis has lost is added again. For a job that waits for long, the time doubles up to ten minutes. Default 30,000.
   */
  recheckMs?: number;
  /**
   * Interval between two searches for jobs that were added in transactions and may be missing in Redis, in
   * milliseconds. Default 5,000.
   */
  sweepMs?: number;
  /** Called with the name of each fault point of jobs that is reached. Fault tests use this function. */
  faultPoint?: FaultPointListener | undefined;
}

/** Names of the job settings that have no default. */
type OptionalJobSettingName = 'outbox' | 'faultPoint';

/** {@link JobsSettings} in which all settings with a default have a value. */
export type CompleteJobsSettings = Required<Omit<JobsSettings, OptionalJobSettingName>> &
  Pick<JobsSettings, OptionalJobSettingName>;

/** Returns the job settings, in which omitted settings have their defaults. */
export function addDefaultJobsSettings(settings: JobsSettings): CompleteJobsSettings {
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

/** Options of a call that adds one job. */
export interface AddJobOptions {
  /** Id of the job. While a job with this id exists, adding another job with this id has no effect. */
  id?: string;
  delayMs?: number;
  /** Trace fields of the request that added the job. Default: the fields that {@link JobsSettings.context} returns. */
  context?: TraceContext;
  /**
   * Priority of the job among the waiting jobs of its kind, from 1 (first) to 1,000,000. Jobs without a priority run
   * before all jobs that have a priority.
   */
  priority?: number;
  /**
   * True if the job is one of very many jobs. Workers run a bulk job only when no other job is waiting. Default false.
   */
  isBulk?: boolean;
}

/** Runner that runs the handler of one kind of job inline, without a job in Redis. */
export interface InlineRunner<P> {
  /**
   * Returns true if an inline run may start now, within the limits for this process and for the destination. If the
   * result is false, the caller must add a job.
   */
  hasRoom(payload: P): boolean;
  /**
   * Runs the job handler inline under the limits of the kind of job. `concurrency` applies separately to inline runs
   * and to jobs in Redis. Returns null if there is no capacity. Rejects with the handler's error. If the run is ended
   * early, rejects with the reason as soon as the handler has ended. An inline run is never retried.
   */
  run(payload: P, id: string, context: TraceContext): Promise<void> | null;
}

/** Metrics of one kind of job. The numbers of jobs are read from Redis and are equal in every process. */
export interface JobMetrics {
  job: string;
  /** Number of jobs of this kind that are ready to run. */
  waiting: number;
  /** Number of running jobs of this kind in all processes. */
  active: number;
  /** Number of jobs of this kind that wait for a retry or for a rate limit. */
  delayed: number;
  /** Number of permanently failed jobs of this kind. */
  failed: number;
  /** Numbers of successful and failed attempts of this kind of job in this process since its start. */
  processed: { completed: number; failed: number };
}
