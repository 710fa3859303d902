import { Readable } from 'node:stream';

/**
 * JSON text in UTF-8, used as a value in a response body. The bytes are immutable, so several responses may share the
 * bytes. Chunks are created while a response is sent, so that responses to slow clients use no memory for chunks.
 */
export class JsonBytes {
  readonly byteLength: number;

  /** @param byteLength Size of all chunks together. Absent: computed from the chunks. */
  constructor(
    readonly chunks: Iterable<Buffer>,
    byteLength?: number,
  ) {
    this.byteLength = byteLength ?? countJsonBytes(chunks);
  }

  /** Encodes a JSON text as UTF-8. */
  static fromJsonText(text: string): JsonBytes {
    return new JsonBytes([Buffer.from(text)]);
  }

  /** Joins JSON values into a JSON array. */
  static fromJoinedArrayValues(values: readonly JsonBytes[]): JsonBytes {
    const parts = values.flatMap((value, index) => [Buffer.from(index === 0 ? '[' : ','), value]);
    return concatenateJsonParts([...parts, Buffer.from(values.length === 0 ? '[]' : ']')]);
  }
}

/**
 * Serializes a response body whose top-level values may be {@link JsonBytes}. Returns null if the body contains no
 * {@link JsonBytes}.
 */
export function serializeResponseBodyToChunks(body: object): JsonBytes | null {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  if (!entries.some(([, value]) => value instanceof JsonBytes)) return null;
  const parts: (Buffer | JsonBytes)[] = [];
  let text = '{';
  for (const [index, [name, value]] of entries.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (value instanceof JsonBytes) {
      parts.push(Buffer.from(text), value);
      text = '';
    } else text += JSON.stringify(value);
  }
  parts.push(Buffer.from(`${text}}`));
  return concatenateJsonParts(parts);
}

/** Concatenates JSON parts of known sizes. The parts are iterated only when the response is sent. */
function concatenateJsonParts(parts: readonly (Buffer | JsonBytes)[]): JsonBytes {
  const byteLength = parts.reduce((sum, part) => sum + (part instanceof JsonBytes ? part.byteLength : part.length), 0);
  return new JsonBytes({ [Symbol.iterator]: () => listJsonChunks(parts) }, byteLength);
}

function* listJsonChunks(parts: readonly (Buffer | JsonBytes)[]): Generator<Buffer> {
  for (const part of parts) {
    if (part instanceof JsonBytes) yield* part.chunks;
    else yield part;
  }
}

function countJsonBytes(chunks: Iterable<Buffer>): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** Size in bytes of the blocks into which small chunks of a response are copied before sending. */
const RESPONSE_BLOCK_BYTES = 64 * 1024;

/**
 * Returns a response body as a stream. The next block of small chunks is copied only after the client has read the
 * previous block.
 */
export function createReadableResponseStream({ chunks }: JsonBytes): Readable {
  const iterator = mergeChunksIntoBlocks(chunks);
  return new Readable({
    read() {
      const { value, done } = iterator.next();
      this.push(done === true ? null : value);
    },
  });
}

function* mergeChunksIntoBlocks(chunks: Iterable<Buffer>): Generator<Buffer, undefined> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  for (const chunk of chunks) {
    if (smallBytes > 0 && smallBytes + chunk.length > RESPONSE_BLOCK_BYTES) {
      yield Buffer.concat(small, smallBytes);
      [small, smallBytes] = [[], 0];
    }
    if (chunk.length > RESPONSE_BLOCK_BYTES) {
      yield chunk;
      continue;
    }
    small.push(chunk);
    smallBytes += chunk.length;
  }
  if (smallBytes > 0) yield Buffer.concat(small, smallBytes);
}
