import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inventoryErrors } from '../../errors.js';
import type { ResponseLimits, ResponseFileAccess } from './response-limits.js';
import { ResponseWriter } from './response-writer.js';

/** Maximum total size of a process's temporary files, divided by the maximum size of one response. */
const maxFullSizeStoredResponses = 8;

/** Prefix of the names of temporary files. Files of the folder with other names are ignored. */
const temporaryFilePrefix = 'inventory-response-';

/**
 * Creates and limits the temporary files of one process. The files contain responses that are too large to be built in
 * memory.
 */
export class ResponseFileStore implements ResponseFileAccess {
  readonly #folder: string;
  #storedBytes = 0;
  #openFiles = 0;

  /** @param folder created together with the first file */
  constructor(
    folder: string,
    readonly limits: ResponseLimits,
    private readonly logger: { error(fields: object, message: string): void },
  ) {
    this.#folder = resolve(folder);
  }

  /** Total size of the open temporary files in bytes. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /**
   * Starts building a response. The caller must finish or discard the writer.
   *
   * @param storage `none` if the caller does not need the content: the writer then throws when it would need a file
   */
  createResponseWriter(storage: 'file' | 'none' = 'file'): ResponseWriter {
    return new ResponseWriter(this, storage);
  }

  /**
   * Opens a temporary file without a name. Its disk space is freed when the file is closed or the process ends. The
   * caller must call {@link releaseFile} once.
   *
   * @throws ApplicationError RESPONSE_NOT_STORED if too many files are open or the disk fails
   */
  async openFile(): Promise<FileHandle> {
    if (this.#openFiles >= this.limits.files) throw inventoryErrors.create('RESPONSE_NOT_STORED');
    this.#openFiles += 1;
    try {
      return await this.runFileOperation(() => this.#createTemporaryFile());
    } catch (error) {
      this.#openFiles -= 1;
      throw error;
    }
  }

  async #createTemporaryFile(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, temporaryFilePrefix + randomUUID());
    const file = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return file;
  }

  /**
   * Reserves space for bytes that are about to be written to a file.
   *
   * @throws ApplicationError RESPONSE_NOT_STORED if the files of the process exceed their total limit
   */
  reserveBytes(bytes: number): void {
    if (this.#storedBytes + bytes > this.limits.largest * maxFullSizeStoredResponses)
      throw inventoryErrors.create('RESPONSE_NOT_STORED');
    this.#storedBytes += bytes;
  }

  /**
   * Records that a temporary file is closed, and releases the disk space that {@link reserveBytes} reserved for the
   * file.
   */
  releaseFile(bytes: number): void {
    this.#openFiles -= 1;
    this.#storedBytes -= bytes;
  }

  /**
   * Runs an operation on a temporary file.
   *
   * @throws ApplicationError RESPONSE_NOT_STORED if the disk is full or fails
   */
  async runFileOperation<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.logger.error({ err: error }, 'a response could not be written to a temporary file');
      throw inventoryErrors.create('RESPONSE_NOT_STORED', { cause: error });
    }
  }

  /**
   * Removes the names of temporary files left by killed processes. A process removes the name of a file right after
   * creating the file, unless it is killed in between. Files in use remain readable without a name.
   */
  async removeLeftoverFiles(): Promise<void> {
    try {
      const names = (await readdir(this.#folder)).filter((name) => name.startsWith(temporaryFilePrefix));
      for (const name of names) await rm(join(this.#folder, name), { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
        this.logger.error({ err: error }, 'temporary response files could not be removed');
      }
    }
  }
}
