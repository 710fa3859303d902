import { FirstInFirstOutList } from './first-in-first-out-list.js';
import { toCachedLogEntryHeader, type LogEntryHeader, type CachedLogEntryHeader, type LogEntry } from './log-entry.js';

/** Fraction of a realm's memory limit that the headers of old log entries may use. */
const OLD_ENTRY_HEADERS_MEMORY_FRACTION = 1 / 4;

/**
 * Newest entries of a realm's log in memory, without gaps from `base` (exclusive) to `end`. For older entries, from
 * `headersBase` to `base`, only the headers are in memory. A written entry never changes, so entries in memory stay
 * valid even if the store loses entries (docs/contract/event-log.md 5).
 */
export class RecentLogEntries {
  /** Epoch of the realm's log; 0 while the epoch is unknown. */
  epoch = 0;
  headersBase: number;
  private readonly headers = new FirstInFirstOutList<CachedLogEntryHeader>();
  private readonly entries = new FirstInFirstOutList<LogEntry>();
  private headerBytes = 0;
  private entryBytes = 0;

  constructor(
    public base: number,
    public end: number = base,
  ) {
    this.headersBase = base;
  }

  /** Estimated memory of the log entries and entry headers, in bytes. */
  get memoryBytes(): number {
    return this.headerBytes + this.entryBytes;
  }

  /**
   * Adds the next log entry. Returns false if the entry does not directly follow the last entry in memory. Ignores an
   * entry that is already in memory and returns true.
   */
  addNextLogEntry(entry: LogEntry): boolean {
    if (entry.unit <= this.end) return true;
    if (entry.previousUnit !== this.end) return false;
    this.entries.appendItem(entry);
    this.entryBytes += entry.bytes;
    this.end = entry.unit;
    return true;
  }

  /**
   * Calls `show` with each log entry in memory after log position `unit`, oldest first. `unit` must not precede `base`.
   */
  visitEntriesAfter(unit: number, show: (entry: LogEntry) => void): void {
    visitListItemsAfterPosition(this.entries, unit, show);
  }

  /**
   * Calls `show` with each entry header in memory after log position `unit` and up to `base`, oldest first. `unit` must
   * not precede `headersBase`.
   */
  visitHeadersAfter(unit: number, show: (header: LogEntryHeader) => void): void {
    visitListItemsAfterPosition(this.headers, unit, show);
  }

  /**
   * Frees memory: replaces the oldest log entry by its header, or removes the oldest header if headers exceed a share
   * of the memory.
   */
  freeMemoryOfOldestEntry(): void {
    if (this.entries.itemCount > 0 && this.headerBytes <= this.memoryBytes * OLD_ENTRY_HEADERS_MEMORY_FRACTION)
      this.replaceOldestEntryByHeader();
    else this.removeOldestHeader();
  }

  /**
   * Removes all log entries and entry headers from memory. The next entry must directly follow the log position `unit`.
   */
  clearAndStartAtPosition(epoch: number, unit: number): void {
    this.epoch = epoch;
    this.headersBase = unit;
    this.base = unit;
    this.end = unit;
    this.headers.removeAllItems();
    this.entries.removeAllItems();
    this.headerBytes = 0;
    this.entryBytes = 0;
  }

  private replaceOldestEntryByHeader(): void {
    const entry = this.entries.removeOldestItem();
    if (!entry) return;
    const header = toCachedLogEntryHeader(entry);
    this.entryBytes -= entry.bytes;
    this.headers.appendItem(header);
    this.headerBytes += header.bytes;
    this.base = entry.unit;
  }

  private removeOldestHeader(): void {
    const header = this.headers.removeOldestItem();
    if (!header) return;
    this.headerBytes -= header.bytes;
    this.headersBase = header.unit;
  }
}

function visitListItemsAfterPosition<T extends LogEntryHeader>(
  chain: FirstInFirstOutList<T>,
  unit: number,
  show: (one: T) => void,
): void {
  const { itemCount: size } = chain;
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chain.getItemAt(middle)?.unit ?? 0) <= unit) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < size; index += 1) {
    const one = chain.getItemAt(index);
    if (one) show(one);
  }
}
