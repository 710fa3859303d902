import { SerialRunnerByKey } from '../outbox/keyed-serializer.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import type { RowsAppendedToEventLog } from './log-dispatcher.js';
import { LogEntry } from './log-entry.js';
import type { LogEntriesWithLogStatus, EventLogStore } from './event-log-store.js';
import { RecentLogEntries } from './recent-log-entries.js';
import { WaitingPollsOfRealm } from './waiting-polls.js';

/** Maximum number of log entries in one read from the store. */
export const MAX_ENTRIES_PER_LOG_READ = 2_000;

/** Callbacks of a {@link RecentRealmLog} for changes of the log entries in memory. */
export interface RecentRealmLogListener {
  /**
   * Called when the log has entries that are missing in memory. The listener must then call
   * {@link RecentRealmLog.readMissingLogEntries}.
   */
  behind(): void;
  /** Called when log entries were added to memory. The listener must then check the memory limit of all realms. */
  grown(): void;
}

/** The newest entries of a realm's log in the memory of this process, and the pending polls of the realm. */
export class RecentRealmLog {
  readonly waiters: WaitingPollsOfRealm;
  readonly tail: RecentLogEntries;
  private readonly serializer = new SerialRunnerByKey();
  private isOpen = false;

  constructor(
    readonly realm: string,
    /** Log position of the realm's first poll. The entries in memory begin after this position. */
    base: number,
    private readonly store: EventLogStore,
    private readonly listener: RecentRealmLogListener,
    turns: EntryRenderingThrottle,
  ) {
    this.waiters = new WaitingPollsOfRealm(turns);
    this.tail = new RecentLogEntries(base);
  }

  /**
   * Reads the log entries that are missing in memory, up to the end of the log. Concurrent calls share one read, which
   * begins after all these calls.
   */
  readMissingLogEntries(): Promise<void> {
    return this.serializer.requestRun(this.realm, async () => {
      let chunk: LogEntriesWithLogStatus;
      do {
        chunk = await this.store.readLogEntriesAfterPosition(this.realm, this.tail.end, MAX_ENTRIES_PER_LOG_READ);
        this.addEntriesOrRestart(chunk);
      } while (chunk.entries.length > 0 && this.tail.end < chunk.last);
    });
  }

  /**
   * Reads log entries of the realm for the first time. If the start position is far behind the end of the log, the
   * entries in memory begin near the end instead. Polls that are behind then read entry headers, so that entries for
   * other users take no memory. The start position comes from a client and is therefore limited to the end of the log.
   */
  async readFirstLogEntries(): Promise<void> {
    const { last } = await this.store.readLogStatus(this.realm);
    const base = Math.max(last - MAX_ENTRIES_PER_LOG_READ, Math.min(this.tail.end, last));
    if (base !== this.tail.end) this.tail.clearAndStartAtPosition(0, base);
    this.isOpen = true;
    await this.readMissingLogEntries();
  }

  /** Handles the announcement that the log has grown to position `last`. A lost announcement only delays events. */
  readEntriesAfterAnnouncement(last: number): void {
    // Before its first read a tail may be far behind the log, so the hint is ignored.
    if (this.isOpen && last > this.tail.end) this.listener.behind();
  }

  /**
   * Adds entries that this process has appended to the log. If the new entries do not directly follow the entries in
   * memory, the missing entries are read from the store.
   */
  addAppendedEntries(batch: RowsAppendedToEventLog): void {
    const voided = batch.rows.findLast((row) => row.void);
    // The entry was delivered before the store rejected it. Clients that did not receive it register again.
    if (voided && this.isOpen && voided.seq <= this.tail.end)
      this.clearAndRestartAtPosition(this.tail.epoch, voided.seq);
    this.addCommittedPendingEntries(batch);
    this.readEntriesAfterAnnouncement(batch.last);
  }

  /**
   * Adds committed log entries that may not be in the store yet, if these entries directly follow the entries in memory.
   * The store may then be behind memory, as after a loss of entries in Redis (docs/contract/event-log.md 5). Polls that are
   * ahead of the store wait, and no poll misses an entry.
   */
  addCommittedPendingEntries({ epoch, rows, last }: RowsAppendedToEventLog): void {
    if (!this.isOpen) return;
    const { tail } = this;
    const sameEpoch = tail.epoch === 0 || tail.epoch === epoch;
    const follows = rows.some((row) => row.seq - row.weight === tail.end) && !rows.some((row) => row.void);
    if (sameEpoch && follows) {
      tail.epoch = epoch;
      this.addAndDeliverNewEntries(
        rows.filter((row) => row.seq > tail.end && row.seq <= last).map((row) => LogEntry.fromNumberedRow(row)),
      );
    }
  }

  private addEntriesOrRestart(chunk: LogEntriesWithLogStatus): void {
    const { tail } = this;
    if (chunk.epoch !== 0) {
      if (tail.epoch !== 0 && tail.epoch !== chunk.epoch)
        return this.clearAndRestartAtPosition(chunk.epoch, chunk.last);
      tail.epoch = chunk.epoch;
    }
    if (chunk.floor > tail.end) this.clearAndRestartAtPosition(chunk.epoch, chunk.floor);
    this.addAndDeliverNewEntries(chunk.entries);
  }

  private addAndDeliverNewEntries(entries: readonly LogEntry[]): void {
    const fresh: LogEntry[] = [];
    for (const entry of entries) {
      const isNew = entry.unit > this.tail.end;
      if (!this.tail.addNextLogEntry(entry)) {
        this.waiters.deliverLogEntriesToPolls(fresh.splice(0));
        this.clearAndRestartAtPosition(this.tail.epoch, entry.previousUnit);
        this.tail.addNextLogEntry(entry);
      }
      if (isNew) fresh.push(entry);
    }
    if (fresh.length === 0) return;
    this.waiters.deliverLogEntriesToPolls(fresh);
    this.listener.grown();
  }

  private clearAndRestartAtPosition(epoch: number, unit: number): void {
    this.tail.clearAndStartAtPosition(epoch, unit);
    this.waiters.recheckQueuesOfAllPolls();
  }
}
