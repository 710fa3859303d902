import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { BadEventQueueError, EventLogUnavailableError } from './event-log-errors.js';
import type { LogEntryHeader, LogEntry } from './log-entry.js';
import {
  getHeaderBlockNumber,
  type EntryHeadersWithLogStatus,
  type RealmLogStatus,
  type EventLogStore,
} from './event-log-store.js';
import type { EventQueueEntryExaminer } from './event-queue-view.js';
import { MAX_BLOCKS_PER_SCRIPT } from './event-log-lua-scripts.js';
import { MAX_ENTRIES_PER_LOG_READ, type RecentRealmLog } from './realm-log-tail.js';

/** Dependencies of {@link EventLogHistoryReader}, which reads older log entries for event queues. */
export interface EventLogHistoryReaderOptions {
  store: EventLogStore;
  /** Requests that the waiting outbox rows of a realm are appended to the realm's event log. */
  requestDrain: (realm: string) => void;
  /** Throttle that limits how many log entries are examined in one iteration of the event loop. */
  turns: EntryRenderingThrottle;
}

/** Maximum number of log entries that are read from the store at a time for one event queue. */
const LOG_ENTRIES_PER_HISTORY_READ = 200;

/**
 * Passes log entries to the views of event queues that must catch up with the log. Works in parts that do not delay
 * other work of the process. For entries that are no longer in memory, first reads the headers, from memory if
 * possible, otherwise from the store. Then reads only the entries that the queue may receive. Skipping a hundred thousand
 * entries of other users takes some tenths of a second and no additional memory.
 */
export class EventLogHistoryReader {
  constructor(private readonly options: EventLogHistoryReaderOptions) {}

  /**
   * Passes the log entries in memory to the view of an event queue. Returns true if the view has reached the end of the
   * log, or is full. No entry can arrive before the caller uses the view in the same turn of the event loop. Otherwise
   * {@link examineOldEntries} must follow: the view is behind the entries in memory, or there are too many for one turn.
   *
   * @throws UnrenderableEntryError as {@link EventQueueEntryExaminer.examineEntry}
   */
  examineEntriesInMemory(view: EventQueueEntryExaminer, { tail }: RecentRealmLog): boolean {
    const { turns } = this.options;
    if (view.hasReachedEventLimit) return true;
    if (view.examined < tail.base) return false;
    if (view.examined < tail.end) {
      tail.visitEntriesAfter(view.examined, (entry) => {
        if (!turns.isTurnOver) turns.examineAndCount(view, entry);
      });
    }
    return view.hasReachedEventLimit || view.examined >= tail.end;
  }

  /**
   * Passes old log entries to the view of an event queue until the view has reached the entries in memory, or is full.
   * Waits for the next turn if the view has reached them already. Returns false if the log lacks entries that the store had
   * announced.
   *
   * @throws BadEventQueueError if a required part was trimmed
   * @throws UnrenderableEntryError as {@link EventQueueEntryExaminer.examineEntry}
   */
  async examineOldEntries(view: EventQueueEntryExaminer, realmTail: RecentRealmLog): Promise<boolean> {
    const { tail } = realmTail;
    if (view.examined >= tail.base) await this.options.turns.waitForNextTurn();
    // The tail may drop more of its oldest entries while the store is read.
    while (this.isViewBehindPosition(view, tail.base)) {
      const inMemory = view.examined >= tail.headersBase;
      const done = inMemory
        ? this.examineEntriesByCachedHeaders(view, realmTail)
        : this.examineEntriesByStoredHeaders(view, realmTail);
      if (!(await done)) return false;
    }
    return true;
  }

  private isViewBehindPosition(view: EventQueueEntryExaminer, end: number): boolean {
    return view.examined < end && !view.hasReachedEventLimit;
  }

  private async examineEntriesByCachedHeaders(
    view: EventQueueEntryExaminer,
    { realm, tail }: RecentRealmLog,
  ): Promise<boolean> {
    const { base } = tail;
    const headers: LogEntryHeader[] = [];
    tail.visitHeadersAfter(view.examined, (header) => {
      if (view.mayReceiveEventsOfEntry(header)) headers.push(header);
    });
    return this.readAndExamineEntries(view, realm, headers, base);
  }

  private async examineEntriesByStoredHeaders(
    view: EventQueueEntryExaminer,
    realmTail: RecentRealmLog,
  ): Promise<boolean> {
    const { realm, tail } = realmTail;
    let block = getHeaderBlockNumber(view.examined + 1);
    let ahead: Promise<EntryHeadersWithLogStatus | null> | null = this.readEntryHeaderBlocks(realmTail, block);
    while (ahead && this.isViewBehindPosition(view, tail.headersBase)) {
      const found = await ahead;
      if (!found) break;
      const { headers, ...status } = found;
      block += MAX_BLOCKS_PER_SCRIPT;
      // The store reads the next blocks while this process examines the current ones.
      ahead = block <= getHeaderBlockNumber(tail.headersBase) ? this.readEntryHeaderBlocks(realmTail, block) : null;
      this.requireEntriesStillInLog(status, view);
      const chain = selectConsecutiveLogEntryHeaders(view.examined, tail.headersBase, headers);
      const end = chain.at(-1)?.unit ?? view.examined;
      const requested = chain.filter((header) => view.mayReceiveEventsOfEntry(header));
      if (!(await this.readAndExamineEntries(view, realm, requested, end))) return false;
    }
    return !this.isViewBehindPosition(view, tail.headersBase) || this.examineCompleteLogEntries(view, realmTail);
  }

  /**
   * Passes complete log entries to the view of an event queue. Used if entry headers are missing, because Redis has
   * lost them or because a process of an older version appended entries without headers.
   */
  private async examineCompleteLogEntries(
    view: EventQueueEntryExaminer,
    { realm, tail }: RecentRealmLog,
  ): Promise<boolean> {
    while (this.isViewBehindPosition(view, tail.headersBase)) {
      const chunk = await this.options.store.readLogEntriesAfterPosition(
        realm,
        view.examined,
        MAX_ENTRIES_PER_LOG_READ,
      );
      if (!this.hasReadAllRequestedEntries(chunk, view, chunk.entries.length > 0)) return false;
      await this.examineEntriesWithPauses(view, chunk.entries);
    }
    return true;
  }

  /**
   * Reads blocks of entry headers. Returns null if the blocks cannot be read, for example while a Redis cluster moves
   * their keys. The caller then reads the complete entries.
   */
  private readEntryHeaderBlocks(
    { realm, tail }: RecentRealmLog,
    block: number,
  ): Promise<EntryHeadersWithLogStatus | null> {
    const last = Math.min(block + MAX_BLOCKS_PER_SCRIPT - 1, getHeaderBlockNumber(tail.headersBase));
    const chunk = this.options.store.readEntryHeaderBlocks(realm, block, last).catch((error: unknown) => {
      if (error instanceof EventLogUnavailableError) return null;
      throw error;
    });
    // Prevents an unhandled rejection if the caller stops before it awaits this read.
    chunk.catch(() => {});
    return chunk;
  }

  /**
   * Reads the log entries with the given headers and passes them to the view of an event queue. The view skips all
   * other entries up to the position `end`. Returns false if an entry is missing.
   */
  private async readAndExamineEntries(
    view: EventQueueEntryExaminer,
    realm: string,
    headers: readonly LogEntryHeader[],
    end: number,
  ): Promise<boolean> {
    const { store } = this.options;
    for (let from = 0; from < headers.length && !view.hasReachedEventLimit; from += LOG_ENTRIES_PER_HISTORY_READ) {
      const requested = headers.slice(from, from + LOG_ENTRIES_PER_HISTORY_READ).map(({ unit }) => unit);
      const chunk = await store.readLogEntriesAtPositions(realm, requested);
      if (!this.hasReadAllRequestedEntries(chunk, view, chunk.entries.length === requested.length)) return false;
      await this.examineEntriesWithPauses(view, chunk.entries);
    }
    if (!view.hasReachedEventLimit) view.markExaminedUpToPosition(end);
    return true;
  }

  private async examineEntriesWithPauses(view: EventQueueEntryExaminer, entries: readonly LogEntry[]): Promise<void> {
    const { turns } = this.options;
    for (const entry of entries) {
      while (turns.isTurnOver) await turns.waitForNextTurn();
      turns.examineAndCount(view, entry);
    }
  }

  /**
   * Returns true if all requested entries after the position of the queue view were read. Otherwise, requests that
   * missing entries are appended to the log again, and returns false.
   */
  private hasReadAllRequestedEntries(
    status: RealmLogStatus,
    view: EventQueueEntryExaminer,
    complete: boolean,
  ): boolean {
    this.requireEntriesStillInLog(status, view);
    if (!complete) this.options.requestDrain(view.queue.realm);
    return complete;
  }

  private requireEntriesStillInLog({ floor }: RealmLogStatus, view: EventQueueEntryExaminer): void {
    if (floor > view.examined) throw new BadEventQueueError(view.queue.id);
  }
}

/**
 * Returns the headers of consecutive entries after the position `unit`, up to the position `end` or the first missing
 * entry.
 */
function selectConsecutiveLogEntryHeaders(
  unit: number,
  end: number,
  headers: readonly LogEntryHeader[],
): LogEntryHeader[] {
  const chain: LogEntryHeader[] = [];
  let last = unit;
  for (const header of headers) {
    if (header.unit <= last) continue;
    // The first header may begin before `unit`, because a client can acknowledge a part of an entry's events.
    if (header.previousUnit > last || header.unit > end) break;
    chain.push(header);
    last = header.unit;
  }
  return chain;
}
