import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { BadEventQueueError, EventLogUnavailableError } from './event-log-errors.js';
import type { EntryHeader, LogEntry } from './log-entry.js';
import {
  getHeaderBlockNumber,
  type EntryHeaderChunk,
  type RealmLogStatus,
  type RedisLogStore,
} from './redis-log-store.js';
import type { EventQueueView } from './event-queue-view.js';
import { MAX_BLOCKS_PER_SCRIPT } from './event-log-lua-scripts.js';
import { ENTRIES_PER_LOG_READ, type RealmLogTail } from './realm-log-tail.js';

/** Dependencies of {@link LogHistoryReader}, which reads older log entries for event queues. */
export interface LogHistoryReaderOptions {
  store: RedisLogStore;
  /** Requests that the waiting outbox rows of a realm are appended to the realm's event log. */
  requestDrain: (realm: string) => void;
  /** Throttle that limits how many log entries are examined in one iteration of the event loop. */
  turns: EntryRenderingThrottle;
}

/** Maximum number of log entries that are read from Redis at a time for one event queue. */
const HISTORY_ENTRIES_PER_READ = 200;

/**
 * Passes log entries to the views of event queues that must catch up with the log. Works in parts that do not delay
 * other work of the process. For entries that are no longer in memory, first reads the headers, from memory if
 * possible, otherwise from Redis. Then reads only the entries that the queue may receive. Skipping a hundred thousand
 * entries of other users takes some tenths of a second and no additional memory.
 */
export class LogHistoryReader {
  constructor(private readonly options: LogHistoryReaderOptions) {}

  /**
   * Passes the log entries in memory to the view of an event queue. Returns true if the view has reached the end of the
   * log, or is full. No entry can arrive before the caller uses the view in the same turn of the event loop. Otherwise
   * {@link examineOldEntries} must follow: the view is behind the entries in memory, or there are too many for one turn.
   *
   * @throws UnrenderableEntryError as {@link EventQueueView.examineEntry}
   */
  examineEntriesInMemory(view: EventQueueView, { tail }: RealmLogTail): boolean {
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
   * Waits for the next turn if the view has reached them already. Returns false if the log lacks entries that Redis had
   * announced.
   *
   * @throws BadEventQueueError if a required part was trimmed
   * @throws UnrenderableEntryError as {@link EventQueueView.examineEntry}
   */
  async examineOldEntries(view: EventQueueView, realmTail: RealmLogTail): Promise<boolean> {
    const { tail } = realmTail;
    if (view.examined >= tail.base) await this.options.turns.waitForNextTurn();
    // The tail may drop more of its oldest entries while Redis is read.
    while (this.isViewBehind(view, tail.base)) {
      const inMemory = view.examined >= tail.headersBase;
      const done = inMemory ? this.examineCachedHeaders(view, realmTail) : this.examineHeaderBlocks(view, realmTail);
      if (!(await done)) return false;
    }
    return true;
  }

  private isViewBehind(view: EventQueueView, end: number): boolean {
    return view.examined < end && !view.hasReachedEventLimit;
  }

  private async examineCachedHeaders(view: EventQueueView, { realm, tail }: RealmLogTail): Promise<boolean> {
    const { base } = tail;
    const headers: EntryHeader[] = [];
    tail.visitHeadersAfter(view.examined, (header) => {
      if (view.mayReceive(header)) headers.push(header);
    });
    return this.examineEntries(view, realm, headers, base);
  }

  private async examineHeaderBlocks(view: EventQueueView, realmTail: RealmLogTail): Promise<boolean> {
    const { realm, tail } = realmTail;
    let block = getHeaderBlockNumber(view.examined + 1);
    let ahead: Promise<EntryHeaderChunk | null> | null = this.readLogEntries(realmTail, block);
    while (ahead && this.isViewBehind(view, tail.headersBase)) {
      const found = await ahead;
      if (!found) break;
      const { headers, ...status } = found;
      block += MAX_BLOCKS_PER_SCRIPT;
      // Redis reads the next blocks while this process examines the current ones.
      ahead = block <= getHeaderBlockNumber(tail.headersBase) ? this.readLogEntries(realmTail, block) : null;
      this.requireUntrimmedEntries(status, view);
      const chain = takeConsecutiveHeaders(view.examined, tail.headersBase, headers);
      const end = chain.at(-1)?.unit ?? view.examined;
      const requested = chain.filter((header) => view.mayReceive(header));
      if (!(await this.examineEntries(view, realm, requested, end))) return false;
    }
    return !this.isViewBehind(view, tail.headersBase) || this.examineStream(view, realmTail);
  }

  /**
   * Passes complete log entries to the view of an event queue. Used if entry headers are missing, because Redis has
   * lost them or because a process of an older version appended entries without headers.
   */
  private async examineStream(view: EventQueueView, { realm, tail }: RealmLogTail): Promise<boolean> {
    while (this.isViewBehind(view, tail.headersBase)) {
      const chunk = await this.options.store.readEntriesAfter(realm, view.examined, ENTRIES_PER_LOG_READ);
      if (!this.beginsAtViewPosition(chunk, view, chunk.entries.length > 0)) return false;
      await this.examineInTurns(view, chunk.entries);
    }
    return true;
  }

  /**
   * Reads blocks of entry headers. Returns null if the blocks cannot be read, for example while a Redis cluster moves
   * their keys. The caller then reads the complete entries.
   */
  private readLogEntries({ realm, tail }: RealmLogTail, block: number): Promise<EntryHeaderChunk | null> {
    const last = Math.min(block + MAX_BLOCKS_PER_SCRIPT - 1, getHeaderBlockNumber(tail.headersBase));
    const chunk = this.options.store.readHeaderBlocks(realm, block, last).catch((error: unknown) => {
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
  private async examineEntries(
    view: EventQueueView,
    realm: string,
    headers: readonly EntryHeader[],
    end: number,
  ): Promise<boolean> {
    const { store } = this.options;
    for (let from = 0; from < headers.length && !view.hasReachedEventLimit; from += HISTORY_ENTRIES_PER_READ) {
      const requested = headers.slice(from, from + HISTORY_ENTRIES_PER_READ).map(({ unit }) => unit);
      const chunk = await store.readEntriesByUnit(realm, requested);
      if (!this.beginsAtViewPosition(chunk, view, chunk.entries.length === requested.length)) return false;
      await this.examineInTurns(view, chunk.entries);
    }
    if (!view.hasReachedEventLimit) view.markExamined(end);
    return true;
  }

  private async examineInTurns(view: EventQueueView, entries: readonly LogEntry[]): Promise<void> {
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
  private beginsAtViewPosition(status: RealmLogStatus, view: EventQueueView, complete: boolean): boolean {
    this.requireUntrimmedEntries(status, view);
    if (!complete) this.options.requestDrain(view.queue.realm);
    return complete;
  }

  private requireUntrimmedEntries({ floor }: RealmLogStatus, view: EventQueueView): void {
    if (floor > view.examined) throw new BadEventQueueError(view.queue.id);
  }
}

/**
 * Returns the headers of consecutive entries after the position `unit`, up to the position `end` or the first missing
 * entry.
 */
function takeConsecutiveHeaders(unit: number, end: number, headers: readonly EntryHeader[]): EntryHeader[] {
  const chain: EntryHeader[] = [];
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
