import type { LogEntry } from './log-entry.js';

/**
 * The newest entries of a realm in memory: a chain without a hole from `base` (exclusive) to `end`. An entry is a
 * function of its row for ever, so what is here stays true whatever Redis loses (event-log-protocol.md section 5).
 */
export class Tail {
  /** 0 while no epoch is known. */
  epoch = 0;
  bytes = 0;
  private entries: LogEntry[] = [];
  private head = 0;

  constructor(
    public base: number,
    public end: number = base,
  ) {}

  get size(): number {
    return this.entries.length - this.head;
  }

  /** Adds the next entry. False when it does not follow on the last one; an entry that is there already is ignored. */
  push(entry: LogEntry): boolean {
    if (entry.unit <= this.end) return true;
    if (entry.previousUnit !== this.end) return false;
    this.entries.push(entry);
    this.bytes += entry.bytes;
    this.end = entry.unit;
    return true;
  }

  /** Shows entries after `unit`, oldest first. `unit` must not lie before `base`. */
  showAfter(unit: number, show: (entry: LogEntry) => void): void {
    let low = this.head;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle]?.unit ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < this.entries.length; index += 1) {
      const entry = this.entries[index];
      if (entry) show(entry);
    }
  }

  /** Gives up the oldest entry. */
  dropOldest(): void {
    const entry = this.entries[this.head];
    if (!entry) return;
    this.head += 1;
    this.bytes -= entry.bytes;
    this.base = entry.unit;
    if (this.head > 1024 && this.head * 2 > this.entries.length) {
      this.entries = this.entries.slice(this.head);
      this.head = 0;
    }
  }

  /** Begins anew, empty, at `unit`. */
  restart(epoch: number, unit: number): void {
    this.epoch = epoch;
    this.base = unit;
    this.end = unit;
    this.bytes = 0;
    this.entries = [];
    this.head = 0;
  }
}
