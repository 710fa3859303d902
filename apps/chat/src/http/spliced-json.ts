import { Readable } from 'node:stream';

/** JSON text in UTF-8 as a value of a response. Several responses may share its bytes, which never change. */
export class JsonBytes {
  constructor(readonly chunks: readonly Buffer[]) {}
}

/** A response body of JSON, whose values may be {@link JsonBytes} at the first level. Null when none is. */
export function spliceJson(body: object): readonly Buffer[] | null {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  if (!entries.some(([, value]) => value instanceof JsonBytes)) return null;
  const chunks: Buffer[] = [];
  let text = '{';
  for (const [index, [name, value]] of entries.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (value instanceof JsonBytes) {
      chunks.push(Buffer.from(text), ...value.chunks);
      text = '';
    } else text += JSON.stringify(value);
  }
  chunks.push(Buffer.from(`${text}}`));
  return chunks;
}

/** The stream of a body, and its length in bytes. */
export function streamOf(chunks: readonly Buffer[]): { readonly stream: Readable; readonly byteLength: number } {
  const byteLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { stream: Readable.from(chunks), byteLength };
}

/** Parts of a list past which it is copied into one. */
const MOST_CHUNKS = 64;

const [open, comma, close] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/** Rows of a JSON array by id, as one text of which single rows can be replaced. Ids ascend. */
export class JsonRows {
  readonly #bytes: Buffer;
  readonly #ids: Int32Array;
  /** Offset of the end of each row; a comma follows it. */
  readonly #ends: Int32Array;

  private constructor(rows: readonly { readonly id: number; readonly json: string }[], bytes: Buffer) {
    this.#bytes = bytes;
    this.#ids = Int32Array.from(rows, ({ id }) => id);
    let end = -1;
    this.#ends = Int32Array.from(rows, ({ json }) => (end += 1 + Buffer.byteLength(json)));
  }

  /** @param rows ascending by id */
  static from(rows: readonly { readonly id: number; readonly json: string }[]): JsonRows {
    return new JsonRows(rows, Buffer.from(rows.map(({ json }) => json).join(',')));
  }

  get ids(): Iterable<number> {
    return this.#ids;
  }

  get byteLength(): number {
    return this.#bytes.length + this.#ids.byteLength + this.#ends.byteLength;
  }

  /** The text of a row; undefined when there is no row with this id. */
  textOf(id: number): string | undefined {
    const index = this.#indexOf(id);
    return index < 0 ? undefined : this.#bytes.toString('utf8', this.#startOf(index), this.#ends[index]);
  }

  /** The array, with the rows of these ids replaced; null leaves a row out. Other ids are ignored. */
  toJson(replaced: ReadonlyMap<number, string | null> = new Map()): JsonBytes {
    const chunks: Buffer[] = [];
    const push = (chunk: Buffer): void => void chunks.push(chunks.length === 0 ? open : comma, chunk);
    const pushRun = (from: number, to: number): void => {
      if (from < to) push(this.#bytes.subarray(this.#startOf(from), this.#ends[to - 1]));
    };
    let next = 0;
    const indexes = [...replaced.keys()].map((id) => this.#indexOf(id)).filter((index) => index >= 0);
    for (const index of Int32Array.from(indexes).toSorted()) {
      pushRun(next, index);
      const text = replaced.get(this.#ids[index] ?? 0);
      if (typeof text === 'string') push(Buffer.from(text));
      next = index + 1;
    }
    pushRun(next, this.#ids.length);
    if (chunks.length === 0) chunks.push(open);
    chunks.push(close);
    return new JsonBytes(chunks.length > MOST_CHUNKS ? [Buffer.concat(chunks)] : chunks);
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0) + 1;
  }

  /** Binary search; negative when there is none. */
  #indexOf(id: number): number {
    let [low, high] = [0, this.#ids.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#ids[middle] ?? 0;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
