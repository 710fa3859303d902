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
import type { FaultPointListener } from '@switchboard/queue';

/**
 * Names of the options that the outbox, the jobs and the event log have in common. {@link QueueModuleOptions} contains
 * each of these options once.
 */
type SharedOption = 'pool' | 'redis' | 'prefix' | 'schema' | 'logger' | 'clock' | 'context' | 'faultPoint';

/**
 * Shutdown of a process in phases, in which {@link QueueModule} stops its parts. `Shutdown` of `@switchboard/platform`
 * implements this interface.
 */
export interface ShutdownPhases {
  /** Registers a step in a shutdown phase. The phases run one after another: `intake`, `drain`, `redis`, `postgres`. */
  addStep(phase: 'intake' | 'drain' | 'redis' | 'postgres', name: string, close: () => Promise<void>): void;
}

/** Options of {@link QueueModule}. The module provides jobs and an event log only if the options contain them. */
export interface QueueModuleOptions {
  /** Connection pool of the primary PostgreSQL server, with the tables of `applyQueueMigrations`. */
  readonly pool: QueuePool;
  /** Address of the Redis server: a URL, or connection options of ioredis. */
  readonly redis: RedisTarget;
  /** Prefix of all Redis keys of the service, which must be unique for each deployment. Default `switchboard`. */
  readonly prefix?: string;
  /** Database schema that contains the tables of the queue package. Default `queue`. */
  readonly schema?: string;
  /**
   * Role of the process. A process with the role `api` runs no jobs, and dispatches only outbox messages that the
   * process itself commits. Default `all`.
   */
  readonly role?: QueueRole;
  /** Logger of the outbox, the jobs and the event log. If undefined, the logger of the Nest application is used. */
  readonly logger?: QueueLogger;
  /** Clock of the outbox, the jobs and the event log. If undefined, the clock of the system is used. */
  readonly clock?: QueueClock;
  /** Returns the trace fields of the current request, which are stored with outbox rows and jobs. */
  readonly context?: () => TraceContext;
  /**
   * Callback for fault tests. It is called with the name of each fault point, a named position in the code, that is
   * reached.
   */
  readonly faultPoint?: FaultPointListener | undefined;
  /**
   * An existing outbox, which the transactions of the database use, or the settings of a new outbox. If undefined, the
   * module creates a new outbox.
   */
  readonly outbox?: Outbox | Omit<OutboxOptions, SharedOption>;
  /**
   * Definitions of all jobs of the service with their settings, or an existing `Jobs` object. If undefined, the module
   * provides no jobs.
   */
  readonly jobs?: Jobs | Omit<JobsSettings, SharedOption>;
  /**
   * Settings of a new event log (`{}` for the defaults), or an existing event log. With `store: 'tables'`, the event log
   * does not use Redis. If undefined, the module provides no event log.
   */
  readonly eventLog?: EventLog | Omit<EventLogOptions, SharedOption | 'outbox'>;
  /**
   * Function that closes the connection pool after all parts of the module have stopped. If undefined, the pool remains
   * open.
   */
  readonly closePool?: () => Promise<void>;
  /** Shutdown phases of the process. If undefined, Nest's shutdown hooks stop the parts of the module. */
  readonly shutdown?: ShutdownPhases;
}

/** Options of {@link QueueModule} with a defined logger. */
export type QueueSettings = QueueModuleOptions & { readonly logger: QueueLogger };

/** Returns the outbox in the options of {@link QueueModule}, or creates an outbox with the given settings. */
export function openOutbox(options: QueueSettings): Outbox {
  const { outbox = {}, pool, redis, prefix, schema, logger, clock, context, faultPoint } = options;
  if (outbox instanceof Outbox) return outbox;
  const shared = { prefix, schema, clock, context };
  return new Outbox({ ...outbox, ...omitUndefinedOptions(shared), pool, redis, logger, faultPoint });
}

/** Returns the `Jobs` object in the options of {@link QueueModule}, or creates one with the given settings. */
export function openJobs({ jobs, redis, prefix, logger, clock, context }: QueueSettings): Jobs {
  if (jobs instanceof Jobs) return jobs;
  return new Jobs({ definitions: [], ...jobs, ...omitUndefinedOptions({ prefix, clock, context }), redis, logger });
}

/** Returns the event log in the options of {@link QueueModule}, or creates an event log with the given settings. */
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
    redis: eventLog?.store === undefined ? redis : undefined,
    logger,
    faultPoint,
  });
}

/**
 * Returns a copy of an object without the properties that are undefined, because the types of the options do not permit
 * explicit undefined values.
 */
function omitUndefinedOptions<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
