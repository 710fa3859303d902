import type { QueuePool } from '../database.js';
import type { QueueClock, QueueLogger } from '../environment.js';
import type { OnFaultPoint } from '../fault-points.js';
import type { Outbox } from '../outbox/outbox.js';
import { defaultOutboxSettings } from '../outbox/outbox-options.js';
import type { RedisTarget } from '../redis-target.js';
import type { SelectSnapshotPool } from './shared-snapshot-reader.js';

/** Default settings of the event log. Times are in milliseconds. */
export const defaultEventLogSettings = {
  /** Prefix of all Redis keys. Default: the prefix of the outbox. */
  prefix: defaultOutboxSettings.prefix,
  /** Schema with the tables of this package. Default: the schema of the outbox. */
  schema: defaultOutboxSettings.schema,
  /** Time after which a poll without events ends with a heartbeat. */
  heartbeatMs: 50_000,
  /** Interval at which the logs of all realms are compared with PostgreSQL and repaired. */
  sweepMs: 5_000,
  /** Interval at which expired event queues are removed. */
  collectMs: 60_000,
  /** Time for which outbox rows remain after Redis has their entries. Redis may lose its last seconds of writes. */
  rowRetentionMs: 10_000,
  /** Maximum number of entries in a realm's log. Event queues that need older entries get an error. */
  logHardCap: 1_000_000,
  /** Maximum memory in Redis for the log of one realm, in bytes. The next sweep removes the oldest entries above it. */
  logCapBytes: 256 * 1024 * 1024,
  /** Maximum memory of this process for the newest log entries of all realms, in bytes. */
  tailBytes: 64 * 1024 * 1024,
  /** Maximum number of pending events of one event queue. If there are more, its client gets an error. */
  queueCap: 10_000,
  /**
   * Time for which a client may continue a collected event queue (`lastKnown` of a registration); 0 for never. Redis
   * keeps the log entries that these queues have not acknowledged, up to `logHardCap` and `logCapBytes`.
   */
  tombstoneMs: 0,
  /** Maximum number of events of a delta. If there are more, the client gets a snapshot. */
  deltaCap: 2_000,
  /** Maximum size of the log entries of a delta, in bytes. If they are longer, the client gets a snapshot. */
  deltaBytes: 4 * 1024 * 1024,
  /** Maximum number of concurrent registrations in one process. Further registrations are rejected. */
  registrationCap: 1_000,
  /** Number of times that Redis may reject a row before an empty (void) entry replaces it. */
  entryAttempts: 5,
  /** Maximum length of one log entry, in characters of JSON. */
  maxEntryLength: 1_000_000,
} as const;

/** Settings of the event log, whose defaults are {@link defaultEventLogSettings}. */
export type EventLogSettings = {
  -readonly [K in keyof typeof defaultEventLogSettings]: K extends 'prefix' | 'schema' ? string : number;
};

/** Options of {@link EventLog}. */
export interface EventLogOptions extends Partial<EventLogSettings> {
  /** Outbox of the deployment, which determines the schema. */
  outbox: Outbox;
  pool: QueuePool;
  /** Returns the pool for the long transactions in which registrations read snapshots. Default: `pool`. */
  snapshotPoolOf?: SelectSnapshotPool;
  redis: RedisTarget;
  logger?: QueueLogger;
  clock?: QueueClock;
  /** Called with the name of each fault point of the event log that is reached. For fault tests. */
  faultPoint?: OnFaultPoint | undefined;
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
