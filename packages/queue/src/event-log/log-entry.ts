import { unpackAudience, type PackedAudience } from './audience.js';
import { RecentlyParsed, type Forgetful } from './recently-parsed.js';

/** Content of the payload column and of the stream's field `e`, as JSON. */
export interface EntryPayload {
  event: Record<string, unknown>;
  about?: Record<string, unknown>;
}

/** First characters of a payload's text. */
const EVENT_FIRST = '{"event":';

/** A row on its way into the log, numbered. `payload` and `audience` are the row's text. */
export interface AssignedRow {
  id: string;
  seq: number;
  weight: number;
  void: boolean;
  audience: string;
  payload: string;
}

/** The part of an entry that decides its recipients. */
export interface EntryHeader {
  /** Its place in the realm's log. */
  readonly unit: number;
  /** Unit of the previous entry. */
  readonly previousUnit: number;
  /** Id of the outbox row of the entry. */
  readonly rowId: string;
  readonly audience: PackedAudience;
}

/** Memory of an entry beside its text, roughly, in bytes. */
const ENTRY_BYTES = 250;

/** Memory of a header, and of an audience of users beside these, roughly, in bytes. */
const HEADER_BYTES = 100;
const AUDIENCE_BYTES = 250;

/** Audiences that an entry has taken on. */
const counted = new WeakSet<PackedAudience>();

/** Estimates the memory of the audience of one entry in bytes; 0 for all but the first of those that share it. */
function bytesOf(audience: PackedAudience): number {
  if (audience.users.length === 0 || counted.has(audience)) return 0;
  counted.add(audience);
  return AUDIENCE_BYTES + audience.users.byteLength;
}

/** Characters of JSON that may stand as objects as well, over all logs of the process. */
const recentlyParsed = new RecentlyParsed(4 * 1024 * 1024);

const TWO_BYTES_A_CHARACTER = /[\u0100-\uffff]/;

/** An entry as the app's renderer receives it. The same object for all readers in a process: do not change it. */
export class LogEntry implements EntryHeader, Forgetful {
  /** Approximate memory in bytes. */
  readonly bytes: number;
  /** Memory of its header. */
  readonly headerBytes: number;
  private parsed: EntryPayload | undefined;

  constructor(
    readonly unit: number,
    readonly previousUnit: number,
    readonly rowId: string,
    readonly audience: PackedAudience,
    private readonly json: string,
  ) {
    const width = TWO_BYTES_A_CHARACTER.test(json) ? 2 : 1;
    const audienceBytes = bytesOf(audience);
    this.headerBytes = HEADER_BYTES + audienceBytes;
    this.bytes = ENTRY_BYTES + audienceBytes + width * json.length;
  }

  static ofRow(row: AssignedRow): LogEntry {
    return new LogEntry(row.seq, row.seq - row.weight, row.id, unpackAudience(row.audience), row.payload);
  }

  /**
   * Parses `unit-0 rowId unitBefore audience payload`, as returned by the script `read`. Only the payload has spaces.
   */
  static ofText(text: string): LogEntry {
    const { header, end } = readHeader(text, 0, ' ');
    return new LogEntry(header.unit, header.previousUnit, header.rowId, header.audience, text.slice(end + 1));
  }

  /** The most client events it may become. */
  get weight(): number {
    return this.unit - this.previousUnit;
  }

  /** The `event` that the writer gave. Parsed once while it is new; of old entries perhaps again. */
  get event(): Readonly<Record<string, unknown>> {
    return this.payload.event;
  }

  /** {@link event} as JSON, without parsing unless the writer set `about`. */
  get eventJson(): string {
    // As EventLog.write has it, `{"event":...,"about":...}`, the second part only if there is one. SQL may have written a
    // row too, with spaces anywhere. Inside a text the name's quotation marks are escaped.
    const isAlone = this.json.startsWith(EVENT_FIRST) && !this.json.includes('"about"');
    return isAlone ? this.json.slice(EVENT_FIRST.length, -1) : JSON.stringify(this.event);
  }

  /** The `about` that the writer gave: fields that readers filter on. */
  get about(): Readonly<Record<string, unknown>> {
    return this.payload.about ?? {};
  }

  /** Drops the parsed object, which is created again on demand. */
  forget(): void {
    this.parsed = undefined;
  }

  private get payload(): EntryPayload {
    if (this.parsed === undefined) {
      this.parsed = JSON.parse(this.json) as EntryPayload;
      recentlyParsed.keep(this, this.json.length);
    }
    return this.parsed;
  }
}

/** The header that a tail retains of an entry for which it has no room. `bytes`: the memory it takes, roughly. */
export interface KeptHeader extends EntryHeader {
  readonly bytes: number;
}

/** The header of an entry alone. */
export function headerOf({ unit, previousUnit, rowId, audience, headerBytes }: LogEntry): KeptHeader {
  return { unit, previousUnit, rowId, audience, bytes: headerBytes };
}

/** Reads a block of headers, a line each. */
export function readHeaders(lines: string): EntryHeader[] {
  const headers: EntryHeader[] = [];
  for (let from = 0; from < lines.length;) {
    const { header, end } = readHeader(lines, from, '\n');
    headers.push(header);
    from = end + 1;
  }
  return headers;
}

/** The header that begins at `from` and ends before `separator` or with the text. */
function readHeader(text: string, from: number, separator: string): { header: EntryHeader; end: number } {
  const afterUnit = text.indexOf(' ', from);
  const afterRow = text.indexOf(' ', afterUnit + 1);
  const afterPrevious = text.indexOf(' ', afterRow + 1);
  const found = text.indexOf(separator, afterPrevious + 1);
  const end = found < 0 ? text.length : found;
  const header = {
    // Without the `-0` of a stream's id.
    unit: Number(text.slice(from, afterUnit - 2)),
    previousUnit: Number(text.slice(afterRow + 1, afterPrevious)),
    rowId: text.slice(afterUnit + 1, afterRow),
    audience: unpackAudience(text.slice(afterPrevious + 1, end)),
  };
  return { header, end };
}
