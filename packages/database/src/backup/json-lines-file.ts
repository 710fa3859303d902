import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { FileSizeAndHash } from './file-operations.js';

const maxBufferedJsonCharacters = 65_536;

/** Writes JSON values to a file, one value per line. Several calls of {@link appendJsonLine} may run concurrently. */
export class JsonLinesFileWriter {
  #text = '';
  #bytes = 0;
  readonly #hash = createHash('sha256');
  #writing: Promise<void> = Promise.resolve();

  private constructor(private readonly file: FileHandle) {}

  /** Creates a new file for JSON lines and returns its writer. */
  static async createFileAndWriter(path: string): Promise<JsonLinesFileWriter> {
    return new JsonLinesFileWriter(await open(path, 'wx', 0o600));
  }

  /** Appends a JSON value as one line of the file. */
  async appendJsonLine(value: unknown): Promise<void> {
    this.#text += `${JSON.stringify(value)}\n`;
    if (this.#text.length >= maxBufferedJsonCharacters) await this.#flush();
  }

  /**
   * Writes all remaining lines, flushes the file to disk and closes it. Returns the size and the SHA-256 hash of the
   * file.
   */
  async finishFile(): Promise<FileSizeAndHash> {
    await this.#flush();
    await this.file.sync();
    await this.file.close();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes the file without writing the lines that are still buffered. Has no effect after {@link finishFile}. */
  async closeUnfinishedFile(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.file.close().catch(() => {});
  }

  #flush(): Promise<void> {
    const chunk = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#writing = this.#writing.then(() => this.file.appendFile(chunk));
    return this.#writing;
  }
}

/** Yields the JSON values of a file that {@link JsonLinesFileWriter} has written. */
export async function* readJsonLinesFile(path: string): AsyncGenerator<unknown> {
  // The module readline also splits at U+2028, which file names may contain.
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as unknown;
  }
  if (rest !== '') yield JSON.parse(rest) as unknown;
}
