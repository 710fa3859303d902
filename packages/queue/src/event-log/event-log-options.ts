import type { QueuePool } from '../database.js';
import type { QueueClock, QueueLogger } from '../environment.js';
import type { FaultPointListener } from '../fault-points.js';
import type { Outbox } from '../outbox/outbox.js';
import { defaultOutboxSettings } from '../outbox/outbox-options.js';
import type { RedisTarget } from '../redis-target.js';
import type { SnapshotPoolSelector } from './shared-snapshot-reader.js';

/** Default settings of the event log. Times are in milliseconds. */
export const defaultEventLogSettings = {
  /** Prefix of all Redis keys of the event log. Default: the prefix of the outbox. */
  prefix: defaultOutboxSettings.prefix,
  /** Database schema that contains the tables of the queue package. Default: the schema of the outbox. */
  schema: defaultOutboxSettings.schema,
  /** Time in milliseconds after which a poll without events ends with a heartbeat. */
  heartbeatMs: 50_000,
  /**
   * Interval in milliseconds at which the stored event logs of all realms are compared with the outbox and repaired.
   */
  sweepMs: 5_000,
  /** Interval in milliseconds at which expired event queues are removed. */
  collectMs: 60_000,
  /**
   * Time in milliseconds for which outbox rows are retained after the store has their entries. The rows are needed
   * because Redis may lose its last seconds of writes.
   */
  rowRetentionMs: 10_000,
  /** Maximum number of entries in a realm's log. A poll of an event queue that needs older entries gets an error. */
  logHardCap: 1_000_000,
  /**
   * Maximum memory in Redis, or size in tables, of the log of one realm, in bytes. If a log exceeds this size, the next maintenance round
   * removes the oldest entries.
   */
  logCapBytes: 256 * 1024 * 1024,
  /** Maximum memory in bytes that this process uses to cache the newest log entries of all realms. */
  tailBytes: 64 * 1024 * 1024,
  /** Maximum number of pending events of one event queue. If there are more, the client of the queue gets an error. */
  queueCap: 10_000,
  /**
   * Time in milliseconds for which a client may continue an expired event queue (`lastKnown` of a registration); 0 for
   * never. The store retains the log entries that these queues have not acknowledged, up to `logHardCap` and `logCapBytes`.
   */
  tombstoneMs: 0,
  /**
   * Maximum number of events in a delta, with which a client continues an earlier event queue. If there are more
   * events, the client gets a complete snapshot.
   */
  deltaCap: 2_000,
  /**
   * Maximum total size in bytes of the log entries in a delta, with which a client continues an earlier event queue. If
   * the entries are longer, the client gets a complete snapshot.
   */
  deltaBytes: 4 * 1024 * 1024,
  /**
   * Maximum number of event queue registrations that run concurrently in one process. Further registrations are
   * rejected.
   */
  registrationCap: 1_000,
  /** Number of times that the store may reject a row before an empty (void) log entry replaces the row. */
  entryAttempts: 5,
  /** Maximum length of one log entry, in characters of its JSON text. */
  maxEntryLength: 1_000_000,
} as const;

/** Settings of the event log, whose defaults are {@link defaultEventLogSettings}. */
export type EventLogSettings = {
  -readonly [K in keyof typeof defaultEventLogSettings]: K extends 'prefix' | 'schema' ? string : number;
};

/** Options of {@link EventLog}: either `redis` or `store` is required. */
export interface EventLogOptions extends Partial<EventLogSettings> {
  /** Outbox of the deployment, which determines the database schema. */
  outbox: Outbox;
  pool: QueuePool;
  /** Returns the connection pool for the long transactions in which registrations read snapshots. Default: `pool`. */
  snapshotPoolOf?: SnapshotPoolSelector;
  /** Location of Redis, which stores the logs and the event queues. Any number of processes can use them. */
  redis?: RedisTarget | undefined;
  /**
   * `tables` to store the logs and the event queues in tables of the schema, without Redis. Only one process can use
   * the tables at a time. Event logs of this process with the same `pool` share the tables. One connection of the pool
   * remains in use, because it has the lock.
   */
  store?: 'tables' | undefined;
  logger?: QueueLogger;
  clock?: QueueClock;
  /**
   * Callback for fault tests. It is called with the name of each fault point, a named position in the event log's code,
   * that is reached.
   */
  faultPoint?: FaultPointListener | undefined;
}

/** Metrics of the event log, returned by {@link EventLog.metrics}. */
export interface EventLogMetrics {
  tailBytes: number;
  waiters: number;
  streams: number;
  realms: number;
  appended: number;
  voided: number;
  queues: number;
  behind: number;
}
