import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { LogDispatcher } from './log-dispatcher.js';
import type { RedisLogStore } from './redis-log-store.js';
import { listRealmsWithLogs, type EventLogTables } from './number-log-rows.js';

/** Dependencies of {@link LogMaintenanceLoop}. Times are in milliseconds. */
export interface LogMaintenanceLoopOptions {
  tables: EventLogTables;
  store: RedisLogStore;
  dispatcher: LogDispatcher;
  clock: QueueClock;
  logger: QueueLogger;
  sweepMs: number;
  collectMs: number;
  /** Time for which a collected event queue remains as a tombstone; 0 deletes it. */
  tombstoneMs: number;
  logHardCap: number;
  /** Maximum memory in Redis for the log of one realm, in bytes. */
  logCapBytes: number;
  dropIdle: () => void;
  /** Checks that this process may maintain the logs of the schema. */
  confirm: () => Promise<void>;
}

/** Maximum number of expired event queues that one script removes. */
const MAX_COLLECTED_QUEUES_PER_SCRIPT = 100;

/**
 * Maintains every realm's log at intervals: repairs it, removes old entries, and removes expired event queues. Any
 * process can do it.
 */
export class LogMaintenanceLoop {
  /** Number of event queues over all realms, as of the last sweep. */
  queues = 0;
  /** Number of log entries over all realms that had a number but were not yet in Redis, as of the last sweep. */
  behind = 0;
  /** Last unit of each realm's log in Redis, as of the last read. */
  private readonly lastUnitByRealm = new Map<string, number>();
  private timer: unknown;
  private collectedAt = 0;
  private runningSweep: Promise<void> | null = null;
  /** True if another round of maintenance must follow the current one. */
  private mustRunAgain = false;
  private isStarted = false;

  constructor(private readonly options: LogMaintenanceLoopOptions) {}

  start(): void {
    this.isStarted = true;
    this.scheduleSweep(0);
  }

  async stop(): Promise<void> {
    this.isStarted = false;
    this.options.clock.clearTimeout(this.timer);
    await this.runningSweep;
  }

  /** Starts a round of maintenance now, for example when Redis has become available. */
  runSoon(): void {
    if (this.runningSweep) this.mustRunAgain = true;
    else if (this.isStarted) this.scheduleSweep(0);
  }

  /** Runs one round of maintenance over all realms. A failing realm does not delay the others. */
  async sweep(): Promise<void> {
    await this.options.confirm();
    const { tables, store, dispatcher, logger, logHardCap, logCapBytes, clock, collectMs } = this.options;
    const collects = clock.now() - this.collectedAt >= collectMs;
    if (collects) this.collectedAt = clock.now();
    let queues = 0;
    let behind = 0;
    for (const { realm, position } of await listRealmsWithLogs(tables)) {
      try {
        await dispatcher.repairRealmLog(realm);
        if (collects) await this.removeExpiredQueues(realm);
        await store.trimLog(realm, logHardCap, logCapBytes);
        const status = await store.readLogStatus(realm);
        queues += status.queues;
        this.lastUnitByRealm.set(realm, status.last);
      } catch (error) {
        logger.debug({ realm, error: formatErrorText(error) }, 'event log sweep of a realm failed');
        // Numbers rows even while Redis is unavailable, so that a registration has few rows to skip (invariant I9).
        await dispatcher.numberAllRows(realm).catch((fault: unknown) => {
          logger.warn(
            { realm, error: formatErrorText(fault) },
            'event log rows could not be numbered, the sweep will retry',
          );
        });
      }
      behind += Math.max(0, position - (this.lastUnitByRealm.get(realm) ?? 0));
    }
    this.queues = queues;
    this.behind = behind;
    this.options.dropIdle();
  }

  /** Collects the expired event queues of a realm. Adds the others to the index by owner. */
  async removeExpiredQueues(realm: string): Promise<void> {
    const { store, tombstoneMs } = this.options;
    while (
      (await store.indexQueuesByOwner(realm, MAX_COLLECTED_QUEUES_PER_SCRIPT)) === MAX_COLLECTED_QUEUES_PER_SCRIPT
    );
    while (
      (await store.collectExpiredQueues(realm, MAX_COLLECTED_QUEUES_PER_SCRIPT, tombstoneMs)) ===
      MAX_COLLECTED_QUEUES_PER_SCRIPT
    );
  }

  private scheduleSweep(delayMs: number): void {
    const { clock, logger, sweepMs } = this.options;
    clock.clearTimeout(this.timer);
    this.timer = clock.setTimeout(() => {
      this.mustRunAgain = false;
      this.runningSweep = this.sweep()
        .catch((error: unknown) => logger.warn({ error: formatErrorText(error) }, 'event log sweep failed'))
        .finally(() => {
          this.runningSweep = null;
          if (this.isStarted) this.scheduleSweep(this.mustRunAgain ? 0 : sweepMs);
        });
    }, delayMs);
  }
}
