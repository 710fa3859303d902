import type { QueueClock, QueueLogger } from '../environment.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import type { FollowedRealmLogs } from './realm-log-tails.js';
import type { EventLogStore } from './event-log-store.js';

/** Dependencies of `EventPolling`. */
export interface EventPollingOptions {
  store: EventLogStore;
  realmTails: FollowedRealmLogs;
  clock: QueueClock;
  logger: QueueLogger;
  processId: string;
  heartbeatMs: number;
  queueCap: number;
  /** Turns of the event loop in which the entries of clients that are behind are examined. */
  turns: EntryRenderingThrottle;
  /** Function that reads the highest assigned log position (unit) of a realm from PostgreSQL. */
  position: (realm: string) => Promise<number>;
  /** Requests that the waiting outbox rows of a realm are appended to the realm's event log. */
  requestDrain: (realm: string) => void;
  /** Appends a log entry without recipients. The position of this entry provides ids for further heartbeats. */
  tick: (realm: string) => void;
}
