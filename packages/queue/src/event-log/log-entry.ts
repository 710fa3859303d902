import { unpackAudience, type PackedAudience } from './audience.js';

/** What the payload column and the stream's field `e` hold, as JSON. */
export interface EntryPayload {
  event: Record<string, unknown>;
  about?: Record<string, unknown>;
}

/** A row on its way into the log, numbered. `payload` and `audience` are the row's text. */
export interface AssignedRow {
  id: string;
  seq: number;
  weight: number;
  void: boolean;
  audience: string;
  payload: string;
}

/** An entry as the app's renderer receives it. The same object for all readers in a process: do not change it. */
export class LogEntry {
  private parsed: EntryPayload | undefined;

  constructor(
    /** Its place in the realm's log. */
    readonly unit: number,
    /** The place of the entry before it. */
    readonly previousUnit: number,
    /** Id of the outbox row it is made of. */
    readonly rowId: string,
    readonly audience: PackedAudience,
    private readonly json: string,
  ) {}

  static ofRow(row: AssignedRow): LogEntry {
    return new LogEntry(row.seq, row.seq - row.weight, row.id, unpackAudience(row.audience), row.payload);
  }

  /** Reads `unit-0 rowId unitBefore audience payload`, as the script `read` answers. Only the payload has spaces. */
  static ofText(text: string): LogEntry {
    const ends: number[] = [];
    for (let from = 0; ends.length < 4; from = (ends.at(-1) ?? 0) + 1) ends.push(text.indexOf(' ', from));
    const [a = 0, b = 0, c = 0, d = 0] = ends;
    const audience = unpackAudience(text.slice(c + 1, d));
    return new LogEntry(
      Number.parseInt(text, 10),
      Number(text.slice(b + 1, c)),
      text.slice(a + 1, b),
      audience,
      text.slice(d + 1),
    );
  }

  /** The most client events it may become. */
  get weight(): number {
    return this.unit - this.previousUnit;
  }

  /** What the writer gave as `event`. Parsed once a process. */
  get event(): Readonly<Record<string, unknown>> {
    return this.payload.event;
  }

  /** What the writer gave as `about`: fields that readers filter on. */
  get about(): Readonly<Record<string, unknown>> {
    return this.payload.about ?? {};
  }

  /** Memory it takes, roughly, in bytes. */
  get bytes(): number {
    return 250 + 2 * this.json.length + this.audience.users.byteLength;
  }

  private get payload(): EntryPayload {
    this.parsed ??= JSON.parse(this.json) as EntryPayload;
    return this.parsed;
  }
}
