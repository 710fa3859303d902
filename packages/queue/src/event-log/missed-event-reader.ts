import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { BadEventQueueError } from './event-log-errors.js';
import { LogHistoryReader } from './log-history-reader.js';
import type { CachedEventQueue } from './event-queue-cache.js';
import type { LogDispatcher } from './log-dispatcher.js';
import type { EntryHeader, LogEntry } from './log-entry.js';
import type { RedisLogStore } from './redis-log-store.js';
import { EventQueueView, UnrenderableEntryError, type ClientEvent, type LogEntryRenderer } from './event-queue-view.js';
import type { RealmLogTails } from './realm-log-tails.js';
import type { EventQueueStart } from './shared-snapshot-reader.js';

/** Dependencies and limits of {@link MissedEventReader}. */
export interface MissedEventReaderOptions {
  store: RedisLogStore;
  realmTails: RealmLogTails;
  dispatcher: LogDispatcher;
  /** Turns of the event loop in which the entries are examined. */
  turns: EntryRenderingThrottle;
  /** Maximum number of events of a delta. */
  deltaCap: number;
  /** Maximum size of the log entries of a delta, in bytes. */
  deltaBytes: number;
}

/** A client's previous event queue, and the range of the log from which its events are read. */
export interface MissedEventRange {
  queue: CachedEventQueue;
  /** Log position up to which the client has applied the events of its previous queue. */
  from: number;
  /** Log position at which the new event queue starts, determined by its snapshot. */
  start: EventQueueStart;
  render: LogEntryRenderer;
}

/** Thrown when a delta exceeds its limits. */
class DeltaTooLargeError extends Error {}

/** Reads the events that a client's previous event queue would have delivered (docs/contract/event-log.md 4). */
export class MissedEventReader {
  private readonly history: LogHistoryReader;

  constructor(private readonly options: MissedEventReaderOptions) {
    const { store, dispatcher, turns } = options;
    // A part of the log that Redis lacks makes the registration return a snapshot. The next sweep restores the part.
    this.history = new LogHistoryReader({
      store,
      turns,
      requestDrain: (realm) => void dispatcher.numberAndAppendRows(realm).catch(() => {}),
    });
  }

  /**
   * Returns, in order, the events of the client's previous queue that the client lacks and the snapshot of its new
   * queue contains. Returns null if some of them are unavailable or the limits are exceeded: the client then needs a
   * whole snapshot.
   *
   * @throws EventLogUnavailableError while Redis is unavailable
   */
  async readMissedEvents(range: MissedEventRange): Promise<ClientEvent[] | null> {
    const { queue, from, start } = range;
    if (queue.epoch !== start.epoch || from > start.position) return null;
    const { realm } = queue.record;
    const view = new MissedEventCollector(range, this.options);
    try {
      // Rows that the snapshot contains may have no number yet. The sweep numbers them and appends them to the log.
      await this.options.dispatcher.repairRealmLog(realm);
      const realmTail = await this.options.realmTails.getOrFollow(realm, from);
      await realmTail.readMissingEntries();
      const { tail } = realmTail;
      if (tail.epoch !== 0 && tail.epoch !== queue.epoch) return null;
      while (!this.history.examineEntriesInMemory(view, realmTail)) {
        if (!(await this.history.examineOldEntries(view, realmTail))) return null;
      }
    } catch (error) {
      const needsSnapshot =
        error instanceof BadEventQueueError ||
        error instanceof UnrenderableEntryError ||
        error instanceof DeltaTooLargeError;
      if (needsSnapshot) return null;
      throw error;
    }
    return view.hasExaminedAllEntries ? view.events : null;
  }
}

/** Collects the events of a client's previous event queue that the snapshot of its new queue contains. */
class MissedEventCollector extends EventQueueView {
  /** Ids of outbox rows that the snapshot contains and whose log entries are not examined yet. */
  private readonly missing: Set<string>;
  private readonly included: ReadonlySet<string>;
  private readonly position: number;
  private bytes = 0;

  constructor(
    { queue, from, start, render }: MissedEventRange,
    private readonly limits: { deltaCap: number; deltaBytes: number },
  ) {
    super(queue.record, queue.skip, from, render);
    this.position = start.position;
    this.included = new Set(start.skip);
    this.missing = new Set(start.skip);
  }

  /** True if all log entries that the snapshot contains were examined. */
  get hasExaminedAllEntries(): boolean {
    return this.examined >= this.position && this.missing.size === 0;
  }

  override mayReceive(header: EntryHeader): boolean {
    this.missing.delete(header.rowId);
    return (header.unit <= this.position || this.included.has(header.rowId)) && super.mayReceive(header);
  }

  override examineEntry(entry: LogEntry): boolean {
    const before = this.events.length;
    const isRendered = super.examineEntry(entry);
    if (this.events.length === before) return isRendered;
    this.bytes += entry.bytes;
    if (this.events.length > this.limits.deltaCap || this.bytes > this.limits.deltaBytes)
      throw new DeltaTooLargeError();
    return isRendered;
  }
}
