import { Readable } from 'node:stream';

/**
 * JSON text in UTF-8 as a value of a response. Several responses may share its bytes, which never change. The chunks are
 * made again by each iteration, so that a response that waits for its client holds none of them.
 */
export class JsonBytes {
  readonly byteLength: number;

  constructor(readonly chunks: Iterable<Buffer>) {
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    this.byteLength = length;
  }

  /** The bytes of a text. */
  static of(text: string): JsonBytes {
    return new JsonBytes([Buffer.from(text)]);
  }

  /** An array of these values. */
  static list(values: readonly JsonBytes[]): JsonBytes {
    const chunks = values.flatMap((value, index) => [[Buffer.from(index === 0 ? '[' : ',')], value.chunks]);
    const parts = [...chunks, [Buffer.from(values.length === 0 ? '[]' : ']')]];
    return new JsonBytes({ [Symbol.iterator]: () => joined(parts) });
  }
}

/** A response body of JSON, whose values may be {@link JsonBytes} at the first level. Null when none is. */
export function spliceJson(body: object): JsonBytes | null {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  if (!entries.some(([, value]) => value instanceof JsonBytes)) return null;
  const parts: Iterable<Buffer>[] = [];
  let text = '{';
  for (const [index, [name, value]] of entries.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (value instanceof JsonBytes) {
      parts.push([Buffer.from(text)], value.chunks);
      text = '';
    } else text += JSON.stringify(value);
  }
  parts.push([Buffer.from(`${text}}`)]);
  return new JsonBytes({ [Symbol.iterator]: () => joined(parts) });
}

function* joined(parts: readonly Iterable<Buffer>[]): Generator<Buffer> {
  for (const part of parts) yield* part;
}

/** Size up to which small chunks are copied into one before they are sent. */
const BLOCK_BYTES = 64 * 1024;

/** A body as a stream. Only one block of small chunks is copied at a time, when the client has read what is before it. */
export function streamOf({ chunks }: JsonBytes): Readable {
  const iterator = blocksOf(chunks);
  return new Readable({
    read() {
      const { value, done } = iterator.next();
      this.push(done === true ? null : value);
    },
  });
}

function* blocksOf(chunks: Iterable<Buffer>): Generator<Buffer, undefined> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  for (const chunk of chunks) {
    if (smallBytes > 0 && smallBytes + chunk.length > BLOCK_BYTES) {
      yield Buffer.concat(small, smallBytes);
      [small, smallBytes] = [[], 0];
    }
    if (chunk.length > BLOCK_BYTES) {
      yield chunk;
      continue;
    }
    small.push(chunk);
    smallBytes += chunk.length;
  }
  if (smallBytes > 0) yield Buffer.concat(small, smallBytes);
}
