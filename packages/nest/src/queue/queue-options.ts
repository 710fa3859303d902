import {
  EventLog,
  type EventLogOptions,
  Jobs,
  type JobsSettings,
  Outbox,
  type OutboxOptions,
  type QueueClock,
  type QueueLogger,
  type QueuePool,
  type QueueRole,
  type RedisTarget,
  type TraceContext,
} from '@switchboard/queue';
import type { OnFaultPoint } from '@switchboard/queue';

/** Options of the queue package that its parts have in common, and that {@link QueueModuleOptions} contains once. */
type SharedOption = 'pool' | 'redis' | 'prefix' | 'schema' | 'logger' | 'clock' | 'context' | 'faultPoint';

/** Shutdown phases of a process in which {@link QueueModule} stops. `Shutdown` of `@switchboard/platform` can be used. */
export interface ShutdownPhases {
  /** Registers a step of a phase. Phases run one after another: `intake`, `drain`, `redis`, `postgres`. */
  addStep(phase: 'intake' | 'drain' | 'redis' | 'postgres', name: string, close: () => Promise<void>): void;
}

/** Options of {@link QueueModule}. */
export interface QueueModuleOptions {
  /** Connection pool of the primary PostgreSQL server, with the tables of `applyQueueMigrations`. */
  readonly pool: QueuePool;
  /** Location of Redis: a URL, or the options of ioredis. */
  readonly redis: RedisTarget;
  /** Prefix of all Redis keys, unique per deployment. Default `switchboard`. */
  readonly prefix?: string;
  /** Schema with the tables of the queue package. Default `queue`. */
  readonly schema?: string;
  /** Role of the process. `api` runs no jobs, and dispatches only what the process itself commits. Default `all`. */
  readonly role?: QueueRole;
  /** Logger of all parts. Default: the logger of the application. */
  readonly logger?: QueueLogger;
  /** Clock of all parts. Default: the clock of the process. */
  readonly clock?: QueueClock;
  /** Returns the trace fields of the current request, which are stored with rows and jobs. */
  readonly context?: () => TraceContext;
  /** Called with the name of each fault point that is reached. For fault tests. */
  readonly faultPoint?: OnFaultPoint | undefined;
  /**
   * An outbox that exists already, because the transactions of the database use it; or settings of a new one. Default:
   * a new outbox.
   */
  readonly outbox?: Outbox | Omit<OutboxOptions, SharedOption>;
  /** The definitions of all jobs of the service, with settings; or an object of jobs that exists already. */
  readonly jobs?: Jobs | Omit<JobsSettings, SharedOption>;
  /** Settings of an event log, `{}` for the defaults; or an event log that exists already. */
  readonly eventLog?: EventLog | Omit<EventLogOptions, SharedOption | 'outbox'>;
  /** Closes the pool after everything else has stopped. Default: the pool remains open. */
  readonly closePool?: () => Promise<void>;
  /** Shutdown phases of the process. Default: the parts stop with the application, by the hooks of Nest. */
  readonly shutdown?: ShutdownPhases;
}

/** Options of {@link QueueModule} in which the logger has a value. */
export type QueueSettings = QueueModuleOptions & { readonly logger: QueueLogger };

/** Returns the outbox of the module's options. */
export function openOutbox(options: QueueSettings): Outbox {
  const { outbox = {}, pool, redis, prefix, schema, logger, clock, context, faultPoint } = options;
  if (outbox instanceof Outbox) return outbox;
  const shared = { prefix, schema, clock, context };
  return new Outbox({ ...outbox, ...omitUndefinedOptions(shared), pool, redis, logger, faultPoint });
}

/** Returns the jobs of the module's options. */
export function openJobs({ jobs, redis, prefix, logger, clock, context }: QueueSettings): Jobs {
  if (jobs instanceof Jobs) return jobs;
  return new Jobs({ definitions: [], ...jobs, ...omitUndefinedOptions({ prefix, clock, context }), redis, logger });
}

/** Returns the event log of the module's options. */
export function openEventLog(options: QueueSettings, outbox: Outbox): EventLog {
  const { eventLog, pool, redis, logger, clock, faultPoint } = options;
  if (eventLog instanceof EventLog) return eventLog;
  // Prefix and schema are those of the outbox.
  return new EventLog({
    ...eventLog,
    ...outbox.schemaAndKeyPrefix,
    ...omitUndefinedOptions({ clock }),
    outbox,
    pool,
    redis,
    logger,
    faultPoint,
  });
}

/** Returns an object without the properties that are undefined, because an explicit undefined has another type. */
function omitUndefinedOptions<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
