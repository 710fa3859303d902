import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { BadEventQueueError } from './event-log-errors.js';
import { EventLogHistoryReader } from './log-history-reader.js';
import type { CachedEventQueue } from './event-queue-cache.js';
import type { EventLogDispatcher } from './log-dispatcher.js';
import type { LogEntryHeader, LogEntry } from './log-entry.js';
import type { EventLogStore } from './event-log-store.js';
import {
  EventQueueEntryExaminer,
  UnrenderableEntryError,
  type ClientEvent,
  type LogEntryRenderer,
} from './event-queue-view.js';
import type { FollowedRealmLogs } from './realm-log-tails.js';
import type { EventQueueStart } from './shared-snapshot-reader.js';

/** Dependencies and limits of {@link MissedEventReader}. */
export interface MissedEventReaderOptions {
  store: EventLogStore;
  realmTails: FollowedRealmLogs;
  dispatcher: EventLogDispatcher;
  /** Throttle that limits how many log entries are examined in one iteration of the event loop. */
  turns: EntryRenderingThrottle;
  /** Maximum number of events in a delta, which a client gets instead of a complete snapshot. */
  deltaCap: number;
  /** Maximum total size in bytes of the log entries in a delta, which a client gets instead of a complete snapshot. */
  deltaBytes: number;
}

/** A client's previous event queue, and the range of the log from which the events of that queue are read. */
export interface MissedEventRange {
  queue: CachedEventQueue;
  /** Log position up to which the client has applied the events of its previous event queue. */
  from: number;
  /** Log position at which the new event queue starts, determined by its snapshot. */
  start: EventQueueStart;
  render: LogEntryRenderer;
}

/** Error that is thrown if a delta (missed events of a client) exceeds its limits. */
class MissedEventsTooLargeError extends Error {}

/** Reads the events that a client's previous event queue would have delivered (docs/contract/event-log.md 4). */
export class MissedEventReader {
  private readonly history: EventLogHistoryReader;

  constructor(private readonly options: MissedEventReaderOptions) {
    const { store, dispatcher, turns } = options;
    // A part of the log that the store lacks makes the registration return a snapshot. The next sweep restores the part.
    this.history = new EventLogHistoryReader({
      store,
      turns,
      requestDrain: (realm) => void dispatcher.numberAndAppendRows(realm).catch(() => {}),
    });
  }

  /**
   * Returns the events of the client's previous event queue that the client has not received, but that the snapshot of
   * the client's new queue contains. The events are in order. Returns null if an event is unavailable or the limits are
   * exceeded; the client then needs a complete snapshot.
   *
   * @throws EventLogUnavailableError while the store is unavailable
   */
  async readMissedEvents(range: MissedEventRange): Promise<ClientEvent[] | null> {
    const { queue, from, start } = range;
    if (queue.epoch !== start.epoch || from > start.position) return null;
    const { realm } = queue.record;
    const view = new MissedEventCollector(range, this.options);
    try {
      // Rows that the snapshot contains may have no number yet. The sweep numbers them and appends them to the log.
      await this.options.dispatcher.repairEventLogOfRealm(realm);
      const realmTail = await this.options.realmTails.getOrFollowLog(realm, from);
      await realmTail.readMissingLogEntries();
      const { tail } = realmTail;
      if (tail.epoch !== 0 && tail.epoch !== queue.epoch) return null;
      while (!this.history.examineEntriesInMemory(view, realmTail)) {
        if (!(await this.history.examineOldEntries(view, realmTail))) return null;
      }
    } catch (error) {
      const needsSnapshot =
        error instanceof BadEventQueueError ||
        error instanceof UnrenderableEntryError ||
        error instanceof MissedEventsTooLargeError;
      if (needsSnapshot) return null;
      throw error;
    }
    return view.hasExaminedAllSnapshotEntries ? view.events : null;
  }
}

/**
 * Collects the events of a client's previous event queue that are contained in the snapshot of the client's new queue.
 */
class MissedEventCollector extends EventQueueEntryExaminer {
  /** Ids of outbox rows that the snapshot of the new queue contains, but whose log entries are not examined yet. */
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

  /** True if all log entries that the snapshot of the new queue contains were examined. */
  get hasExaminedAllSnapshotEntries(): boolean {
    return this.examined >= this.position && this.missing.size === 0;
  }

  override mayReceiveEventsOfEntry(header: LogEntryHeader): boolean {
    this.missing.delete(header.rowId);
    return (header.unit <= this.position || this.included.has(header.rowId)) && super.mayReceiveEventsOfEntry(header);
  }

  override examineEntry(entry: LogEntry): boolean {
    const before = this.events.length;
    const isRendered = super.examineEntry(entry);
    if (this.events.length === before) return isRendered;
    this.bytes += entry.bytes;
    if (this.events.length > this.limits.deltaCap || this.bytes > this.limits.deltaBytes)
      throw new MissedEventsTooLargeError();
    return isRendered;
  }
}
