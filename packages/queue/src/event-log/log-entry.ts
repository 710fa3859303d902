import { parseCachedAudience, type ParsedAudience } from './audience.js';
import { ParsedEntryCache, type EvictableLogEntry } from './parsed-entry-cache.js';

/** Content of a log entry as JSON, as stored in the column `payload` and in the field `e` of the Redis stream. */
export interface EntryPayload {
  event: Record<string, unknown>;
  about?: Record<string, unknown>;
}

/** Text with which the JSON of every log entry begins. */
const ENTRY_JSON_PREFIX = '{"event":';

/** A numbered row that will be appended to the log. `payload` and `audience` are texts as stored. */
export interface NumberedRow {
  id: string;
  seq: number;
  weight: number;
  void: boolean;
  audience: string;
  payload: string;
}

/** Header of a log entry: its position and its audience, without its content. */
export interface EntryHeader {
  /** Position of the entry in the realm's log. */
  readonly unit: number;
  /** Position (unit) of the previous entry. */
  readonly previousUnit: number;
  /** Id of the outbox row from which the entry was made. */
  readonly rowId: string;
  readonly audience: ParsedAudience;
}

/** Estimated memory of a log entry in bytes, without its text. */
const ENTRY_OVERHEAD_BYTES = 250;

/** Estimated memory of an entry header in bytes, and of an audience that contains users in addition. */
const HEADER_OVERHEAD_BYTES = 100;
const AUDIENCE_OVERHEAD_BYTES = 250;
const USER_TEXT_BYTES = 80;

/** Audience objects whose memory was already counted for an earlier log entry. */
const audiencesCountedInMemory = new WeakSet<ParsedAudience>();

/**
 * Estimates the memory of a log entry's audience in bytes. If several entries share an audience, only the first one
 * counts it; for the others the result is 0.
 */
function estimateAudienceBytes(audience: ParsedAudience): number {
  const { users, userTexts } = audience;
  if (users.length + userTexts.length === 0 || audiencesCountedInMemory.has(audience)) return 0;
  audiencesCountedInMemory.add(audience);
  return AUDIENCE_OVERHEAD_BYTES + users.byteLength + userTexts.length * USER_TEXT_BYTES;
}

/** Cache of parsed log entries of all realms, with its maximum size in characters of JSON. */
const parsedEntryCache = new ParsedEntryCache(4 * 1024 * 1024);

const WIDE_CHARACTER_PATTERN = /[\u0100-\uffff]/;

/**
 * A log entry as passed to the app's renderer. All readers of a process share the object, so it must not be changed.
 */
export class LogEntry implements EntryHeader, EvictableLogEntry {
  /** Approximate memory that the entry takes, in bytes. */
  readonly bytes: number;
  /** Approximate memory that the header of the entry takes, in bytes. */
  readonly headerBytes: number;
  private parsed: EntryPayload | undefined;

  constructor(
    readonly unit: number,
    readonly previousUnit: number,
    readonly rowId: string,
    readonly audience: ParsedAudience,
    private readonly json: string,
  ) {
    const width = WIDE_CHARACTER_PATTERN.test(json) ? 2 : 1;
    const audienceBytes = estimateAudienceBytes(audience);
    this.headerBytes = HEADER_OVERHEAD_BYTES + audienceBytes;
    this.bytes = ENTRY_OVERHEAD_BYTES + audienceBytes + width * json.length;
  }

  static fromRow(row: NumberedRow): LogEntry {
    return new LogEntry(row.seq, row.seq - row.weight, row.id, parseCachedAudience(row.audience), row.payload);
  }

  /**
   * Parses a log entry from the text `unit-0 rowId unitBefore audience payload` that the script `read` returns. Only
   * the payload contains spaces.
   */
  static fromText(text: string): LogEntry {
    const { header, end } = parseEntryHeader(text, 0, ' ');
    return new LogEntry(header.unit, header.previousUnit, header.rowId, header.audience, text.slice(end + 1));
  }

  /** Maximum number of client events that a renderer may make from the entry. */
  get weight(): number {
    return this.unit - this.previousUnit;
  }

  /**
   * The `event` that the writer of the entry passed. It is parsed when needed; for an old entry this may happen more
   * than once.
   */
  get event(): Readonly<Record<string, unknown>> {
    return this.payload.event;
  }

  /**
   * The JSON text of {@link event}. It is taken from the entry's text without parsing, unless the writer set `about`.
   */
  get eventJson(): string {
    // EventLog.write produces `{"event":...,"about":...}`, the second part only if set. A row written by SQL may
    // contain spaces anywhere. If `"about"` occurs elsewhere in the event, the slower path gives the same result.
    const isAlone = this.json.startsWith(ENTRY_JSON_PREFIX) && !this.json.includes('"about"');
    return isAlone ? this.json.slice(ENTRY_JSON_PREFIX.length, -1) : JSON.stringify(this.event);
  }

  /** The `about` that the writer of the entry passed: fields by which renderers filter. */
  get routingFields(): Readonly<Record<string, unknown>> {
    return this.payload.about ?? {};
  }

  /** Drops the parsed content of the entry. It is parsed again when needed. */
  dropParsedContent(): void {
    this.parsed = undefined;
  }

  private get payload(): EntryPayload {
    if (this.parsed === undefined) {
      this.parsed = JSON.parse(this.json) as EntryPayload;
      parsedEntryCache.addParsedEntry(this, this.json.length);
    }
    return this.parsed;
  }
}

/** Header of a log entry whose content was removed from memory. `bytes` is the header's estimated memory. */
export interface CachedEntryHeader extends EntryHeader {
  readonly bytes: number;
}

/** Returns the header of a log entry without its content. */
export function toCachedEntryHeader({ unit, previousUnit, rowId, audience, headerBytes }: LogEntry): CachedEntryHeader {
  return { unit, previousUnit, rowId, audience, bytes: headerBytes };
}

/** Parses a block of entry headers with one header per line. */
export function parseHeaderBlock(lines: string): EntryHeader[] {
  const headers: EntryHeader[] = [];
  for (let from = 0; from < lines.length;) {
    const { header, end } = parseEntryHeader(lines, from, '\n');
    headers.push(header);
    from = end + 1;
  }
  return headers;
}

/**
 * Parses one entry header from a text. The header starts at index `from` and ends before `separator` or at the end of
 * the text.
 */
function parseEntryHeader(text: string, from: number, separator: string): { header: EntryHeader; end: number } {
  const afterUnit = text.indexOf(' ', from);
  const afterRow = text.indexOf(' ', afterUnit + 1);
  const afterPrevious = text.indexOf(' ', afterRow + 1);
  const found = text.indexOf(separator, afterPrevious + 1);
  const end = found < 0 ? text.length : found;
  const header = {
    // Removes the `-0` of a stream id.
    unit: Number(text.slice(from, afterUnit - 2)),
    previousUnit: Number(text.slice(afterRow + 1, afterPrevious)),
    rowId: text.slice(afterUnit + 1, afterRow),
    audience: parseCachedAudience(text.slice(afterPrevious + 1, end)),
  };
  return { header, end };
}
