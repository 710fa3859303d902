import { FirstInFirstOutList } from './first-in-first-out-list.js';

/**
 * A log entry that is parsed from JSON text on demand. The cache can drop the parsed form to free memory; the next
 * access parses the text again.
 */
export interface EvictableLogEntry {
  dropParsedContent(): void;
}

/**
 * Limits the number of log entries in parsed form. The most recently parsed entries remain parsed, so that all readers
 * of a new entry share one object. Older entries drop their parsed form, because the parsed form takes several times
 * the memory of the JSON text.
 */
export class ParsedLogEntryCache {
  private readonly retainedEntries = new FirstInFirstOutList<{ one: EvictableLogEntry; length: number }>();
  private totalLength = 0;

  /** @param maxLength characters of JSON whose objects are cached; the newest one is cached at any length */
  constructor(private readonly maxLength: number) {}

  addParsedEntry(one: EvictableLogEntry, length: number): void {
    this.retainedEntries.appendItem({ one, length });
    this.totalLength += length;
    while (this.totalLength > this.maxLength && this.retainedEntries.itemCount > 1) {
      const oldest = this.retainedEntries.removeOldestItem();
      this.totalLength -= oldest?.length ?? 0;
      oldest?.one.dropParsedContent();
    }
  }
}
