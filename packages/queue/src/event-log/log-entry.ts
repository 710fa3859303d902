import { parseCachedAudience, type ParsedAudience } from './audience.js';
import { ParsedLogEntryCache, type EvictableLogEntry } from './parsed-entry-cache.js';

/**
 * JSON content of a log entry. It is stored in the column `payload` of the outbox row and in the field `e` of the Redis
 * stream.
 */
export interface LogEntryPayload {
  event: Record<string, unknown>;
  about?: Record<string, unknown>;
}

/** Text with which the JSON of every log entry begins. */
const LOG_ENTRY_JSON_PREFIX = '{"event":';

/**
 * A numbered outbox row that will be appended to the event log. `payload` and `audience` have their stored text form.
 */
export interface NumberedOutboxRow {
  id: string;
  seq: number;
  weight: number;
  void: boolean;
  audience: string;
  payload: string;
}

/** Header of a log entry: its position and audience, without its content. */
export interface LogEntryHeader {
  /** Position (unit) of the entry in the realm's event log. */
  readonly unit: number;
  /** Position (unit) of the previous entry in the realm's event log. */
  readonly previousUnit: number;
  /** Id of the outbox row from which the log entry was created. */
  readonly rowId: string;
  readonly audience: ParsedAudience;
}

/** Estimated memory of a log entry in bytes, without the text of the entry. */
const LOG_ENTRY_OVERHEAD_BYTES = 250;

/** Estimated memory of an entry header in bytes, without the additional memory of an audience that contains users. */
const LOG_ENTRY_HEADER_OVERHEAD_BYTES = 100;
const ENTRY_AUDIENCE_OVERHEAD_BYTES = 250;
const ESTIMATED_AUDIENCE_USER_BYTES = 80;

/** Audience objects whose memory was already included in the estimate for an earlier log entry. */
const audiencesCountedInMemory = new WeakSet<ParsedAudience>();

/**
 * Estimates the memory of a log entry's audience in bytes. If several entries share an audience object, its memory is
 * counted only for the first entry. For the other entries, the result is 0.
 */
function estimateAudienceBytes(audience: ParsedAudience): number {
  const { users, userTexts } = audience;
  if (users.length + userTexts.length === 0 || audiencesCountedInMemory.has(audience)) return 0;
  audiencesCountedInMemory.add(audience);
  return ENTRY_AUDIENCE_OVERHEAD_BYTES + users.byteLength + userTexts.length * ESTIMATED_AUDIENCE_USER_BYTES;
}

/** Cache of parsed log entries of all realms. The argument is the maximum size of the cache in characters of JSON. */
const parsedLogEntryCache = new ParsedLogEntryCache(4 * 1024 * 1024);

const TWO_BYTE_CHARACTER_PATTERN = /[\u0100-\uffff]/;

/**
 * A log entry in the form that is passed to the app's renderer. All readers of a process share the object and must not
 * change it.
 */
export class LogEntry implements LogEntryHeader, EvictableLogEntry {
  /** Approximate memory that the log entry uses, in bytes. */
  readonly bytes: number;
  /** Approximate memory that the header of the log entry uses, in bytes. */
  readonly headerBytes: number;
  private parsed: LogEntryPayload | undefined;

  constructor(
    readonly unit: number,
    readonly previousUnit: number,
    readonly rowId: string,
    readonly audience: ParsedAudience,
    private readonly json: string,
  ) {
    const width = TWO_BYTE_CHARACTER_PATTERN.test(json) ? 2 : 1;
    const audienceBytes = estimateAudienceBytes(audience);
    this.headerBytes = LOG_ENTRY_HEADER_OVERHEAD_BYTES + audienceBytes;
    this.bytes = LOG_ENTRY_OVERHEAD_BYTES + audienceBytes + width * json.length;
  }

  static fromNumberedRow(row: NumberedOutboxRow): LogEntry {
    return new LogEntry(row.seq, row.seq - row.weight, row.id, parseCachedAudience(row.audience), row.payload);
  }

  /**
   * Parses a log entry from the text `unit-0 rowId unitBefore audience payload` that the script `read` returns. Only
   * the payload contains spaces.
   */
  static fromStoredText(text: string): LogEntry {
    const { header, end } = parseLogEntryHeader(text, 0, ' ');
    return new LogEntry(header.unit, header.previousUnit, header.rowId, header.audience, text.slice(end + 1));
  }

  /** Maximum number of client events that a renderer may create from the log entry. */
  get weight(): number {
    return this.unit - this.previousUnit;
  }

  /**
   * Object `event` that the writer of the log entry passed. Its JSON is parsed when needed; for an old entry, the JSON
   * may be parsed more than once.
   */
  get event(): Readonly<Record<string, unknown>> {
    return this.parsedPayload.event;
  }

  /**
   * JSON text of {@link event}. The text is copied from the log entry's text without parsing, unless the writer set
   * `about`.
   */
  get eventJson(): string {
    // EventLog.write produces `{"event":...,"about":...}`, the second part only if set. A row written by SQL may
    // contain spaces anywhere. If `"about"` occurs elsewhere in the event, the slower path gives the same result.
    const isAlone = this.json.startsWith(LOG_ENTRY_JSON_PREFIX) && !this.json.includes('"about"');
    return isAlone ? this.json.slice(LOG_ENTRY_JSON_PREFIX.length, -1) : JSON.stringify(this.event);
  }

  /** Object `about` that the writer of the log entry passed. Renderers use its fields to filter events. */
  get eventRoutingFields(): Readonly<Record<string, unknown>> {
    return this.parsedPayload.about ?? {};
  }

  /** Removes the parsed content of the log entry from memory. The content is parsed again when needed. */
  dropParsedContent(): void {
    this.parsed = undefined;
  }

  private get parsedPayload(): LogEntryPayload {
    if (this.parsed === undefined) {
      this.parsed = JSON.parse(this.json) as LogEntryPayload;
      parsedLogEntryCache.addParsedEntry(this, this.json.length);
    }
    return this.parsed;
  }
}

/** Header of a log entry whose content was removed from memory. `bytes` is the estimated memory of the header. */
export interface CachedLogEntryHeader extends LogEntryHeader {
  readonly bytes: number;
}

/** Returns the header of a log entry without the entry's content. */
export function toCachedLogEntryHeader({
  unit,
  previousUnit,
  rowId,
  audience,
  headerBytes,
}: LogEntry): CachedLogEntryHeader {
  return { unit, previousUnit, rowId, audience, bytes: headerBytes };
}

/** Parses a text block of log entry headers with one header per line. Returns the headers. */
export function parseLogEntryHeaders(lines: string): LogEntryHeader[] {
  const headers: LogEntryHeader[] = [];
  for (let from = 0; from < lines.length;) {
    const { header, end } = parseLogEntryHeader(lines, from, '\n');
    headers.push(header);
    from = end + 1;
  }
  return headers;
}

/**
 * Parses one log entry header from a text and returns the header with its end index. The header starts at index `from`
 * and ends before `separator` or at the end of the text.
 */
function parseLogEntryHeader(text: string, from: number, separator: string): { header: LogEntryHeader; end: number } {
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
