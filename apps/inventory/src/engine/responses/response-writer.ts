import type { FileHandle } from 'node:fs/promises';
import { inventoryErrors } from '../../errors.js';
import type { ResponseFileAccess } from './response-limits.js';
import { StoredResponse } from './stored-response.js';

/**
 * Builds a response from fragments. A small response is built in memory; a larger response continues in a temporary
 * file.
 */
export class ResponseWriter {
  #pieces: Buffer[] = [];
  #size = 0;
  #file: FileHandle | null = null;

  constructor(
    private readonly files: ResponseFileAccess,
    private readonly storage: 'file' | 'none',
  ) {}

  /** Number of bytes written to the response so far. */
  get writtenBytes(): number {
    return this.#size;
  }

  /**
   * Appends a fragment to the response.
   *
   * @throws ApplicationError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED; UnstoredResponse if the response needs a file but the
   * storage is `none`
   */
  async write(piece: Buffer | string): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    const { largest, inMemory } = this.files.limits;
    if (this.#size + bytes.length > largest) throw createResponseTooLargeError(largest);
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#file === null && this.#size <= inMemory) return;
    await this.#writeToFile();
  }

  /**
   * Ends the response. Adds `head` before and `tail` after the content. Returns the response as text, or as a stored
   * response if the content is in a file.
   */
  async finish({ head = '', tail = '' } = {}): Promise<string | StoredResponse> {
    if (this.#file === null) return `${head}${Buffer.concat(this.#pieces).toString()}${tail}`;
    return this.#createStoredResponse(this.#file, { head, tail });
  }

  /**
   * Ends the response like {@link finish}, but returns bytes, for content that the service processes further. Returns a
   * stored response if the content is in a file.
   */
  async finishAsBytes(): Promise<Buffer | StoredResponse> {
    if (this.#file === null) return Buffer.concat(this.#pieces);
    return this.#createStoredResponse(this.#file, { head: '', tail: '' });
  }

  #createStoredResponse(file: FileHandle, around: { readonly head: string; readonly tail: string }): StoredResponse {
    const bytes = this.#size;
    const { inMemory: inMemoryLimit, sendMs } = this.files.limits;
    const onClosed = (): void => this.files.releaseFile(bytes);
    return new StoredResponse({ ...around, file, bytes, inMemoryLimit, sendMs, onClosed });
  }

  /** Discards the content of a response that will not be sent. Closes the temporary file, if one is open. */
  async discard(): Promise<void> {
    this.#pieces = [];
    if (this.#file === null) return;
    const file = this.#file;
    this.#file = null;
    this.files.releaseFile(this.#size);
    await file.close();
  }

  async #writeToFile(): Promise<void> {
    if (this.storage === 'none') throw new UnstoredResponseError();
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    const file = this.#file ?? (await this.files.openFile());
    this.#file = file;
    // The size must equal the reserved bytes: otherwise `discard` would release too many.
    try {
      this.files.reserveBytes(bytes.length);
    } catch (error) {
      this.#size -= bytes.length;
      throw error;
    }
    await this.files.runFileOperation(() => file.appendFile(bytes));
  }
}

/**
 * Error for a response that does not fit into memory. Thrown if the content of the response is not needed, for example
 * for a HEAD request.
 */
export class UnstoredResponseError extends Error {
  override readonly name = 'UnstoredResponse';
}

/** Returns the error for a response that is larger than `limit` bytes. */
export function createResponseTooLargeError(limit: number): Error {
  return inventoryErrors.create('RESPONSE_TOO_LARGE', { params: { limit: String(limit) } });
}
