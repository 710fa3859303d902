import { StoredResponse } from '../responses/stored-response.js';
import { defaultResponseInMemoryBytes } from '../responses/response-settings.js';
import { createResponseTooLargeError } from '../responses/response-writer.js';

/** Maximum number of JSON objects that are parsed without letting other work run. */
const maxParsedObjectsInMemory = 500;

/**
 * Maximum number of bytes of JSON that are parsed without letting other work run. Parsing so many bytes takes about 10
 * ms. A single object may be longer.
 */
const maxParsedObjectBytes = 1_048_576;

/** The JSON objects of a list, stored in memory or in a temporary file. */
export class StoredJsonObjectList {
  /** @param lengths length in bytes of each object's JSON text; the texts follow one another in `content` */
  constructor(
    private readonly content: Buffer | StoredResponse,
    private readonly lengths: readonly number[],
  ) {}

  /** Number of objects in the stored list. */
  get count(): number {
    return this.lengths.length;
  }

  /** Total length of the JSON of all objects in the stored list, in bytes. */
  get bytes(): number {
    return this.lengths.reduce((total, length) => total + length, 0);
  }

  /**
   * Reads up to 500 objects, starting at index `from`, with their lengths in bytes.
   *
   * @throws ApplicationError RESPONSE_TOO_LARGE for an object that is too long to be parsed
   */
  async readObjects(
    from: number,
  ): Promise<{ readonly items: readonly unknown[]; readonly lengths: readonly number[] }> {
    const lengths: number[] = [];
    let bytes = 0;
    for (const length of this.lengths.slice(from, from + maxParsedObjectsInMemory)) {
      if (lengths.length > 0 && bytes + length > maxParsedObjectBytes) break;
      lengths.push(length);
      bytes += length;
    }
    if (bytes > Math.max(defaultResponseInMemoryBytes, maxParsedObjectBytes))
      throw createResponseTooLargeError(defaultResponseInMemoryBytes);
    const start = this.lengths.slice(0, from).reduce((total, length) => total + length, 0);
    const part = await this.#bytes(start, bytes);
    let at = 0;
    const items = lengths.map((length): unknown => {
      at += length;
      return JSON.parse(part.toString('utf8', at - length, at));
    });
    return { items, lengths };
  }

  /** Closes the temporary file that stores the list. Does nothing if the list is in memory. */
  async close(): Promise<void> {
    if (this.content instanceof StoredResponse) await this.content.close();
  }

  async #bytes(start: number, length: number): Promise<Buffer> {
    if (this.content instanceof StoredResponse) return this.content.readBytesAtOffset(start, length);
    return this.content.subarray(start, start + length);
  }
}
