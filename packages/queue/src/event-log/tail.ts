import { Fifo } from './fifo.js';
import { headerOf, type EntryHeader, type KeptHeader, type LogEntry } from './log-entry.js';

/** Fraction of a tail's memory for headers. */
const HEADERS_SHARE = 1 / 4;

/**
 * The newest entries of a realm in memory: a chain without a hole from `base` (exclusive) to `end`, and before it the
 * headers of older ones, a chain from `headersBase` to `base`. An entry is a function of its row for ever, so what is
 * here stays true whatever Redis loses (docs/contract/event-log.md 5).
 */
export class Tail {
  /** Epoch; 0 while unknown. */
  epoch = 0;
  headersBase: number;
  private readonly headers = new Fifo<KeptHeader>();
  private readonly entries = new Fifo<LogEntry>();
  private headerBytes = 0;
  private entryBytes = 0;

  constructor(
    public base: number,
    public end: number = base,
  ) {
    this.headersBase = base;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.headerBytes + this.entryBytes;
  }

  /** Adds the next entry. False when it does not follow on the last one; an entry that is there already is ignored. */
  push(entry: LogEntry): boolean {
    if (entry.unit <= this.end) return true;
    if (entry.previousUnit !== this.end) return false;
    this.entries.push(entry);
    this.entryBytes += entry.bytes;
    this.end = entry.unit;
    return true;
  }

  /** Passes entries after `unit` to `show`, oldest first. `unit` must not precede `base`. */
  showAfter(unit: number, show: (entry: LogEntry) => void): void {
    showAfter(this.entries, unit, show);
  }

  /** Passes headers after `unit` and up to `base` to `show`, oldest first. `unit` must not precede `headersBase`. */
  showHeadersAfter(unit: number, show: (header: EntryHeader) => void): void {
    showAfter(this.headers, unit, show);
  }

  /**
   * Reduces memory: reduces the oldest entry to its header, or removes the oldest header if headers exceed their share.
   */
  shrink(): void {
    if (this.entries.size > 0 && this.headerBytes <= this.bytes * HEADERS_SHARE) this.dropOldestEntry();
    else this.dropOldestHeader();
  }

  /** Restarts the tail, empty, at `unit`. */
  restart(epoch: number, unit: number): void {
    this.epoch = epoch;
    this.headersBase = unit;
    this.base = unit;
    this.end = unit;
    this.headers.clear();
    this.entries.clear();
    this.headerBytes = 0;
    this.entryBytes = 0;
  }

  private dropOldestEntry(): void {
    const entry = this.entries.shift();
    if (!entry) return;
    const header = headerOf(entry);
    this.entryBytes -= entry.bytes;
    this.headers.push(header);
    this.headerBytes += header.bytes;
    this.base = entry.unit;
  }

  private dropOldestHeader(): void {
    const header = this.headers.shift();
    if (!header) return;
    this.headerBytes -= header.bytes;
    this.headersBase = header.unit;
  }
}

function showAfter<T extends EntryHeader>(chain: Fifo<T>, unit: number, show: (one: T) => void): void {
  const { size } = chain;
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chain.at(middle)?.unit ?? 0) <= unit) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < size; index += 1) {
    const one = chain.at(index);
    if (one) show(one);
  }
}
