import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errors } from '../../errors.js';
import type { ResponseLimits, ResponseSpace } from './response-space.js';
import { ResponseWriter } from './response-writer.js';

/** Most bytes in temporary files of one process at a time, in responses of the largest size. */
const largestResponses = 8;

/** Start of the names of files: the folder may have files of others, which are left alone. */
const namePrefix = 'inventory-response-';

/** Temporary files of responses that are too large to be built in memory. */
export class ResponseFiles implements ResponseSpace {
  readonly #folder: string;
  #storedBytes = 0;
  #openFiles = 0;

  /** @param folder Created when the first file is. */
  constructor(
    folder: string,
    readonly limits: ResponseLimits,
    private readonly logger: { error(fields: object, message: string): void },
  ) {
    this.#folder = resolve(folder);
  }

  /** Bytes in files that are open. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /**
   * Starts a response. The caller finishes or discards the writer.
   *
   * @param storage `none` for a response that no client wants the content of: it is refused when it needs a file
   */
  begin(storage: 'file' | 'none' = 'file'): ResponseWriter {
    return new ResponseWriter(this, storage);
  }

  /**
   * Opens a file without a name: its blocks are freed when it is closed, also by the end of the process. {@link release}
   * follows once.
   *
   * @throws AppError RESPONSE_NOT_STORED when too many files are open, or the disk fails
   */
  async open(): Promise<FileHandle> {
    if (this.#openFiles >= this.limits.files) throw errors.create('RESPONSE_NOT_STORED');
    this.#openFiles += 1;
    try {
      return await this.attempt(() => this.#create());
    } catch (error) {
      this.#openFiles -= 1;
      throw error;
    }
  }

  async #create(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, namePrefix + randomUUID());
    const file = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return file;
  }

  /**
   * Counts bytes that are about to be written to a file.
   *
   * @throws AppError RESPONSE_NOT_STORED when the files of the process are too large together
   */
  reserve(bytes: number): void {
    if (this.#storedBytes + bytes > this.limits.largest * largestResponses) throw errors.create('RESPONSE_NOT_STORED');
    this.#storedBytes += bytes;
  }

  /** Uncounts a file that is closed, and the bytes that {@link reserve} counted for it. */
  release(bytes: number): void {
    this.#openFiles -= 1;
    this.#storedBytes -= bytes;
  }

  /**
   * Runs work on a file.
   *
   * @throws AppError RESPONSE_NOT_STORED when the disk is full, or fails otherwise
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.logger.error({ err: error }, 'a response could not be written to a temporary file');
      throw errors.create('RESPONSE_NOT_STORED', { cause: error });
    }
  }

  /** Removes names of processes that were killed between creating a file and removing its name. Files in use stay readable. */
  async sweep(): Promise<void> {
    try {
      const names = (await readdir(this.#folder)).filter((name) => name.startsWith(namePrefix));
      for (const name of names) await rm(join(this.#folder, name), { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
        this.logger.error({ err: error }, 'temporary response files could not be removed');
      }
    }
  }
}
