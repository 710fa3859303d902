import { formatErrorText, type QueueClock, type QueueLogger } from '../environment.js';
import type { EventLogDispatcher } from './log-dispatcher.js';
import type { EventLogStore } from './event-log-store.js';
import { listRealmsWithLogs, type EventLogTables } from './number-log-rows.js';
import { waitAtMost } from '../wait-at-most.js';

/** Dependencies of {@link EventLogMaintenanceLoop}, which maintains the event logs. Times are in milliseconds. */
export interface EventLogMaintenanceLoopOptions {
  tables: EventLogTables;
  store: EventLogStore;
  dispatcher: EventLogDispatcher;
  clock: QueueClock;
  logger: QueueLogger;
  sweepMs: number;
  collectMs: number;
  /**
   * Time in milliseconds for which an expired event queue remains as a tombstone, which its client may continue. With
   * 0, an expired queue is deleted immediately.
   */
  tombstoneMs: number;
  logHardCap: number;
  /** Maximum size of the log of one realm in the store, in bytes. */
  logCapBytes: number;
  dropIdle: () => void;
  /** Checks that this process may maintain the event logs of the database schema. The promise is rejected otherwise. */
  confirm: () => Promise<void>;
}

/**
 * Maximum time for which a stop waits for the running maintenance round, in milliseconds. The round may wait for a
 * response that an interrupted network does not deliver.
 */
const STOP_LIMIT_MS = 3_000;

/** Maximum number of expired event queues that one script or statement removes. */
const MAX_REMOVED_QUEUES_PER_SCRIPT = 100;

/**
 * Maintains every realm's event log at intervals: repairs the log, removes old entries, and removes expired event
 * queues. Any process of the deployment can run this maintenance.
 */
export class EventLogMaintenanceLoop {
  /** Number of event queues in all realms, as determined by the last maintenance round. */
  queues = 0;
  /**
   * Number of numbered log entries in all realms that were not in the store yet, as determined by the last maintenance
   * round.
   */
  behind = 0;
  /** Last position (unit) of each realm's log in the store, at the time when it was last read. */
  private readonly lastUnitByRealm = new Map<string, number>();
  private timer: unknown;
  private collectedAt = 0;
  private runningSweep: Promise<void> | null = null;
  /** True if another maintenance round must follow the current round. */
  private mustRunAgain = false;
  private isStarted = false;
  private isStopped = false;

  constructor(private readonly options: EventLogMaintenanceLoopOptions) {}

  startMaintenance(): void {
    this.isStarted = true;
    this.scheduleMaintenanceRound(0);
  }

  /** Stops the maintenance. Waits for the check of the current realm, but at most {@link STOP_LIMIT_MS}. */
  async stopMaintenance(): Promise<void> {
    this.isStarted = false;
    this.isStopped = true;
    const { clock } = this.options;
    clock.clearTimeout(this.timer);
    if (this.runningSweep !== null) await waitAtMost(STOP_LIMIT_MS, this.runningSweep, clock);
  }

  /** Starts a maintenance round of the event logs now, for example when the store has become available. */
  startMaintenanceRoundNow(): void {
    if (this.runningSweep) this.mustRunAgain = true;
    else if (this.isStarted) this.scheduleMaintenanceRound(0);
  }

  /** Runs one round of maintenance over all realms. An error in one realm does not delay the other realms. */
  async runMaintenanceRound(): Promise<void> {
    await this.options.confirm();
    const { tables, store, dispatcher, logger, logHardCap, logCapBytes, clock, collectMs } = this.options;
    const collects = clock.now() - this.collectedAt >= collectMs;
    if (collects) this.collectedAt = clock.now();
    let queues = 0;
    let behind = 0;
    for (const { realm, position } of await listRealmsWithLogs(tables)) {
      if (this.isStopped) return;
      try {
        await dispatcher.repairEventLogOfRealm(realm);
        if (collects) await this.removeExpiredEventQueues(realm);
        await store.removeOldLogEntries(realm, logHardCap, logCapBytes);
        const status = await store.readLogStatusWithQueueCount(realm);
        queues += status.queues;
        this.lastUnitByRealm.set(realm, status.last);
      } catch (error) {
        logger.debug({ realm, error: formatErrorText(error) }, 'event log sweep of a realm failed');
        // Numbers rows even while the store is unavailable, so that a registration has few rows to skip (invariant I9).
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

  /** Removes the expired event queues of a realm. First adds queues that are missing in the index by owner. */
  async removeExpiredEventQueues(realm: string): Promise<void> {
    const { store, tombstoneMs } = this.options;
    while (
      (await store.indexUnindexedQueuesByOwner(realm, MAX_REMOVED_QUEUES_PER_SCRIPT)) === MAX_REMOVED_QUEUES_PER_SCRIPT
    );
    while (
      (await store.removeExpiredEventQueues(realm, MAX_REMOVED_QUEUES_PER_SCRIPT, tombstoneMs)) ===
      MAX_REMOVED_QUEUES_PER_SCRIPT
    );
  }

  private scheduleMaintenanceRound(delayMs: number): void {
    const { clock, logger, sweepMs } = this.options;
    clock.clearTimeout(this.timer);
    this.timer = clock.setTimeout(() => {
      this.mustRunAgain = false;
      this.runningSweep = this.runMaintenanceRound()
        .catch((error: unknown) => logger.warn({ error: formatErrorText(error) }, 'event log sweep failed'))
        .finally(() => {
          this.runningSweep = null;
          if (this.isStarted) this.scheduleMaintenanceRound(this.mustRunAgain ? 0 : sweepMs);
        });
    }, delayMs);
  }
}
