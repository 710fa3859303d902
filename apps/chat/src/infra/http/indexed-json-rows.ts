import { JsonBytes } from './json-byte-chunks.js';

/** Changes to the rows of an {@link IndexedJsonRows} for one response. The shared rows are not modified. */
export interface JsonRowChanges {
  /**
   * Function that returns true if the response contains the row with this id. Without this function the response
   * contains all rows.
   */
  readonly shows?: (id: number) => boolean;
  /**
   * Replacement rows, by id, for rows that the function `shows` excludes. Excluded rows without a replacement are
   * omitted.
   */
  readonly standIns?: IndexedJsonRows;
  /** JSON texts that replace single rows in the response, by row id. Ids to which no row belongs are ignored. */
  readonly replaced?: ReadonlyMap<number, string>;
}

/** Replacement rows for one response: JSON texts by id, and replacements of excluded rows. */
interface ReplacementJsonRows {
  readonly texts: ReadonlyMap<number, Buffer>;
  readonly standIns: IndexedJsonRows | undefined;
}

const commaByte = Buffer.from(',');
const [openList, closeList] = [Buffer.from('['), Buffer.from(']')];
const [openObject, closeObject] = [Buffer.from('{'), Buffer.from('}')];

/**
 * JSON rows stored in one buffer, from which JSON arrays or objects are built. Single rows can be found, replaced or
 * omitted by id.
 */
export class IndexedJsonRows {
  private constructor(
    readonly ids: Int32Array,
    readonly bytes: Buffer,
    /** Byte offset at which each row ends in the buffer. A comma follows each row. */
    private readonly ends: Int32Array,
  ) {}

  /** @param rows ascending by id */
  static fromSortedRows(rows: readonly { readonly id: number; readonly json: string }[]): IndexedJsonRows {
    const builder = new JsonRowsBuilder();
    builder.appendRows(rows);
    return builder.buildIndexedRows();
  }

  /** @param slices texts of rows, joined by commas, in the order of the ids */
  static fromCommaSeparatedRowTexts(
    ids: readonly number[],
    lengths: readonly number[],
    slices: readonly Buffer[],
  ): IndexedJsonRows {
    const parts = slices.flatMap((slice, index) => (index === 0 ? [slice] : [commaByte, slice]));
    let end = -1;
    return new IndexedJsonRows(
      Int32Array.from(ids),
      Buffer.concat(parts),
      Int32Array.from(lengths, (length) => (end += 1 + length)),
    );
  }

  get byteLength(): number {
    return this.bytes.length + this.ids.byteLength + this.ends.byteLength;
  }

  /** Returns the JSON text of a row, or undefined if no row has this id. */
  getRowText(id: number): string | undefined {
    return this.getRowBytes(id)?.toString('utf8');
  }

  /** Returns the JSON bytes of a row, or undefined if no row has this id. */
  getRowBytes(id: number): Buffer | undefined {
    const index = this.#findRowIndex(id);
    return index < 0 ? undefined : this.bytes.subarray(this.#rowStart(index), this.ends[index]);
  }

  /** Returns a copy of the rows in which the given JSON texts replace the rows with the given ids. */
  copyWithReplacedRows(texts: ReadonlyMap<number, string>): IndexedJsonRows {
    if (texts.size === 0) return this;
    return IndexedJsonRows.fromSortedRows(
      Array.from(this.ids, (id) => ({ id, json: texts.get(id) ?? this.getRowText(id) ?? '' })),
    );
  }

  /** Returns the rows as a JSON array, with the given changes for one response. */
  toJsonArray(changes: JsonRowChanges = {}): JsonBytes {
    return this.#toJson(changes, openList, closeList);
  }

  /** Returns the rows as the members of a JSON object, with the given changes for one response. */
  toJsonObject(changes: JsonRowChanges = {}): JsonBytes {
    return this.#toJson(changes, openObject, closeObject);
  }

  #toJson({ standIns, ...changes }: JsonRowChanges, open: Buffer, close: Buffer): JsonBytes {
    const cuts = this.#changedIndexes(changes);
    const texts = new Map([...(changes.replaced ?? [])].map(([id, text]) => [id, Buffer.from(text)]));
    return new JsonBytes({ [Symbol.iterator]: () => this.#chunks(cuts, { texts, standIns }, { open, close }) });
  }

  *#chunks(
    cuts: Int32Array,
    inserted: ReplacementJsonRows,
    { open, close }: { readonly open: Buffer; readonly close: Buffer },
  ): Generator<Buffer> {
    yield open;
    let isFirst = true;
    for (const chunk of this.#renderedRows(cuts, inserted)) {
      if (!isFirst) yield commaByte;
      yield chunk;
      isFirst = false;
    }
    yield close;
  }

  /** Yields the bytes of the rows for one response. Adjacent unchanged rows form one chunk. */
  *#renderedRows(cuts: Int32Array, { texts, standIns }: ReplacementJsonRows): Generator<Buffer> {
    let next = 0;
    for (let at = 0; at <= cuts.length; at += 1) {
      const cut = cuts[at] ?? this.ids.length;
      if (next < cut) yield this.#bytesOfRows(next, cut);
      next = cut + 1;
      if (at === cuts.length) return;
      const id = this.ids[cut] ?? 0;
      const text = texts.get(id);
      if (text !== undefined) yield text;
      else if (standIns !== undefined) {
        const first = standIns.#findRowIndex(id);
        if (first < 0) continue;
        let end = first + 1;
        // The chunk continues only if both sources have the next row.
        while (cuts[at + 1] === next && standIns.ids[end] === this.ids[next] && !texts.has(this.ids[next] ?? 0)) {
          [at, next, end] = [at + 1, next + 1, end + 1];
        }
        yield standIns.#bytesOfRows(first, end);
      }
    }
  }

  /** Returns the JSON bytes of the rows from index `start` (inclusive) to `end` (exclusive). */
  #bytesOfRows(start: number, end: number): Buffer {
    return this.bytes.subarray(this.#rowStart(start), this.ends[end - 1]);
  }

  /** Returns the indexes of the rows that a response omits or replaces, in ascending order. */
  #changedIndexes({ shows, replaced = new Map() }: JsonRowChanges): Int32Array {
    const cuts: number[] = [];
    if (shows === undefined) {
      for (const id of replaced.keys()) cuts.push(this.#findRowIndex(id));
      return Int32Array.from(cuts.filter((index) => index >= 0)).toSorted();
    }
    for (const [index, id] of this.ids.entries()) if (!shows(id) || replaced.has(id)) cuts.push(index);
    return Int32Array.from(cuts);
  }

  #rowStart(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0) + 1;
  }

  /**
   * Returns the index of the row with the given id, found by binary search. Returns a negative number if no row has the
   * id.
   */
  #findRowIndex(id: number): number {
    let [low, high] = [0, this.ids.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.ids[middle] ?? 0;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/**
 * Builds {@link IndexedJsonRows} a few rows at a time, so that the event loop can run other work between calls of
 * {@link appendRows}.
 */
export class JsonRowsBuilder {
  readonly #ids: number[] = [];
  readonly #lengths: number[] = [];
  readonly #slices: Buffer[] = [];

  /**
   * Appends rows.
   *
   * @param rows rows by ascending id, with ids above the ids of earlier calls
   */
  appendRows(rows: readonly { readonly id: number; readonly json: string }[]): void {
    if (rows.length === 0) return;
    for (const { id, json } of rows) {
      this.#ids.push(id);
      this.#lengths.push(Buffer.byteLength(json));
    }
    this.#slices.push(Buffer.from(rows.map(({ json }) => json).join(',')));
  }

  buildIndexedRows(): IndexedJsonRows {
    return IndexedJsonRows.fromCommaSeparatedRowTexts(this.#ids, this.#lengths, this.#slices);
  }
}
