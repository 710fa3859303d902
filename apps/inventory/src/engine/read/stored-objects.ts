import { StoredResponse } from '../responses/stored-response.js';
import { defaultInMemoryBytes } from '../responses/response-settings.js';
import { tooLarge } from '../responses/response-writer.js';

/** Objects parsed at a time, at most. */
const mostParsed = 500;

/** Bytes parsed at a time, unless one object alone is longer: parsing them takes some 10 ms. */
const mostParsedBytes = 1_048_576;

/** The objects of a list, in memory or in a temporary file. */
export class StoredObjects {
  /** @param lengths Bytes of the JSON text of each object; the texts follow each other in `content`. */
  constructor(
    private readonly content: Buffer | StoredResponse,
    private readonly lengths: readonly number[],
  ) {}

  /** Number of objects. */
  get count(): number {
    return this.lengths.length;
  }

  /** Bytes of all objects. */
  get bytes(): number {
    return this.lengths.reduce((total, length) => total + length, 0);
  }

  /**
   * The next objects from an index on, at most 500, and their lengths in bytes.
   *
   * @throws AppError RESPONSE_TOO_LARGE for an object that is too long to be parsed
   */
  async read(from: number): Promise<{ readonly items: readonly unknown[]; readonly lengths: readonly number[] }> {
    const lengths: number[] = [];
    let bytes = 0;
    for (const length of this.lengths.slice(from, from + mostParsed)) {
      if (lengths.length > 0 && bytes + length > mostParsedBytes) break;
      lengths.push(length);
      bytes += length;
    }
    if (bytes > Math.max(defaultInMemoryBytes, mostParsedBytes)) throw tooLarge(defaultInMemoryBytes);
    const start = this.lengths.slice(0, from).reduce((total, length) => total + length, 0);
    const part = await this.#bytes(start, bytes);
    let at = 0;
    const items = lengths.map((length): unknown => {
      at += length;
      return JSON.parse(part.toString('utf8', at - length, at));
    });
    return { items, lengths };
  }

  /** Frees the file. */
  async close(): Promise<void> {
    if (this.content instanceof StoredResponse) await this.content.close();
  }

  async #bytes(start: number, length: number): Promise<Buffer> {
    if (this.content instanceof StoredResponse) return this.content.read(start, length);
    return this.content.subarray(start, start + length);
  }
}
