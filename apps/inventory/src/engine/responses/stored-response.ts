import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** Number of bytes read at a time from the temporary file of a response. */
const storedResponseBytesPerRead = 262_144;

/** Content and limits of a {@link StoredResponse}. */
export interface StoredResponseContent {
  readonly file: FileHandle;
  /** Length, in bytes, of the file that contains the response. */
  readonly bytes: number;
  /** Text that is sent before the content of the file. */
  readonly head: string;
  /** Text that is sent after the content of the file. */
  readonly tail: string;
  /** Maximum size, in bytes, of a response that may be loaded into memory. */
  readonly inMemoryLimit: number;
  /** Maximum time that sending the response may take, in milliseconds. */
  readonly sendMs: number;
  readonly onClosed: () => void;
}

/** A response in a temporary file. It must be sent with {@link createByteStream} or closed with {@link close}. */
export class StoredResponse {
  /** Length of the response in bytes, including the texts before and after the file's content. */
  readonly size: number;
  #isClosed = false;

  constructor(private readonly content: StoredResponseContent) {
    this.size = Buffer.byteLength(content.head) + content.bytes + Buffer.byteLength(content.tail);
  }

  /** Maximum size in bytes of a response that can be shown as a browsable HTML page. */
  get maxHtmlPageBytes(): number {
    return this.content.inMemoryLimit;
  }

  /**
   * Returns a stream of the bytes of the response. The temporary file is closed when the stream ends or is destroyed.
   * If the client does not read the stream in time, the stream fails and the connection is closed.
   */
  createByteStream(): Readable {
    const { sendMs } = this.content;
    const stream = Readable.from(this.#readContentParts(), {
      objectMode: false,
      highWaterMark: storedResponseBytesPerRead,
    });
    const timer = setTimeout(() => stream.destroy(new Error(`The response was not read within ${sendMs} ms`)), sendMs);
    timer.unref();
    stream.once('close', () => {
      clearTimeout(timer);
      void this.close();
    });
    return stream;
  }

  /** Closes the temporary file and releases its disk space. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.content.onClosed();
    await this.content.file.close();
  }

  /**
   * Reads bytes of the temporary file from an offset.
   *
   * @throws Error if the file is too short
   */
  async readBytesAtOffset(from: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.content.file.read(bytes, done, length - done, from + done);
      if (bytesRead === 0) throw new Error(`The file of a response ends at ${from + done}`);
      done += bytesRead;
    }
    return bytes;
  }

  async *#readContentParts(): AsyncGenerator<Buffer> {
    const { head, tail, bytes } = this.content;
    if (head !== '') yield Buffer.from(head);
    for (let from = 0; from < bytes; from += storedResponseBytesPerRead)
      yield await this.readBytesAtOffset(from, Math.min(storedResponseBytesPerRead, bytes - from));
    if (tail !== '') yield Buffer.from(tail);
  }
}
