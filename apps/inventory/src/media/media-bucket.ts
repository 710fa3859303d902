import { randomInt } from 'node:crypto';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { OutboundError } from '@switchboard/outbound';
import { type S3Bucket, S3Error } from '@switchboard/s3';
import { pictureTypes } from '../engine/uploads/read-picture-info.js';
import { inventoryErrors } from '../errors.js';
import { changeFiles, changeSuspectFiles, type MediaFiles, type MediaLogger } from './media-files.js';

/**
 * Beginning of the keys of marks. A mark is an empty object for a suspect (possibly unused) file: its key ends with the
 * path of the file. The store records the time of the mark.
 */
const markKeyPrefix = '.suspects/';

/**
 * Stores uploaded pictures in a bucket of an S3-compatible store. The path of a file is the key of its object. Each file
 * gets a path of its own, because not all stores can refuse to replace an object.
 */
export class MediaBucket implements MediaFiles {
  constructor(
    private readonly bucket: S3Bucket,
    private readonly logger: MediaLogger,
  ) {}

  /**
   * Stores a file at a path with a random part, marks the file as suspect, which means possibly unused, and returns the
   * path; see {@link MediaFiles}.
   */
  async add(requested: string, content: Buffer): Promise<string> {
    const ending = extname(requested);
    const beginning = requested.slice(0, requested.length - ending.length);
    const path = `${beginning}_${createRandomPart()}${ending}`;
    await this.markAsSuspect([path]);
    const type = pictureTypes[ending.slice(1)] ?? 'application/octet-stream';
    await this.bucket.write(path, Readable.from([content]), type).catch(throwStoreError);
    return path;
  }

  /** Marks files as suspect, which means possibly unused; see {@link MediaFiles}. */
  async markAsSuspect(paths: readonly string[]): Promise<void> {
    const [error] = await changeFiles(paths, (path) =>
      this.bucket.write(`${markKeyPrefix}${path}`, Readable.from([]), 'text/plain'),
    );
    if (error !== undefined) throw convertStoreError(error);
  }

  /** Marks files as used by an object; see {@link MediaFiles}. */
  markAsUsed(paths: readonly string[]): Promise<void> {
    return this.#changeSuspectFiles(paths, (path) => this.bucket.remove(`${markKeyPrefix}${path}`));
  }

  /** Removes the files that are suspect, which means possibly unused; see {@link MediaFiles}. */
  removeSuspects(paths: readonly string[]): Promise<void> {
    return this.#changeSuspectFiles(paths, (path) => this.removeSuspectFile(path));
  }

  async listSuspectFilesBefore(before: number): Promise<string[]> {
    const found: string[] = [];
    for await (const { key, modifiedMs } of this.bucket.listObjects(markKeyPrefix)) {
      if (modifiedMs !== null && modifiedMs < before) found.push(key.slice(markKeyPrefix.length));
    }
    return found;
  }

  /** Removes a suspect file, and then the mark of the file; see {@link MediaFiles}. */
  async removeSuspectFile(path: string): Promise<void> {
    await this.bucket.remove(path);
    await this.bucket.remove(`${markKeyPrefix}${path}`);
  }

  /** Does nothing, because the bucket contains only complete files. */
  async removeIncompleteFilesBefore(): Promise<void> {}

  /** Returns the content of a stored file, or null if the file does not exist. */
  async read(path: string): Promise<Buffer | null> {
    return isFilePath(path) ? this.bucket.read(path).catch(throwStoreError) : null;
  }

  /** Returns true if a file has a mark; see {@link MediaFiles}. */
  isSuspectFile(path: string): Promise<boolean> {
    return this.bucket.exists(`${markKeyPrefix}${path}`);
  }

  /** Yields the paths of all stored files. */
  async *listFiles(): AsyncGenerator<string> {
    for await (const { key } of this.bucket.listObjects()) if (!key.startsWith(markKeyPrefix)) yield key;
  }

  /** Returns true if a file is stored at the path. */
  exists(path: string): Promise<boolean> {
    return this.bucket.exists(path);
  }

  /** Waits for running requests to the bucket, then closes all connections. */
  close(): Promise<void> {
    return this.bucket.close();
  }

  #changeSuspectFiles(paths: readonly string[], change: (path: string) => Promise<void>): Promise<void> {
    return changeSuspectFiles(paths, this.logger, change);
  }
}

/** Returns true for a path that an S3 key can express and that is no mark. */
function isFilePath(path: string): boolean {
  return !path.startsWith(markKeyPrefix) && !path.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Converts a failure of the store to the error UNAVAILABLE. Returns other errors unchanged. */
function convertStoreError(error: unknown): unknown {
  const isOfStore = error instanceof S3Error || error instanceof OutboundError;
  return isOfStore ? inventoryErrors.create('UNAVAILABLE', { cause: error }) : error;
}

function throwStoreError(error: unknown): never {
  throw convertStoreError(error);
}

/** Returns nine random letters and digits. Paths of pictures leave room for as many. */
function createRandomPart(): string {
  return Array.from({ length: 9 }, () => randomInt(36).toString(36)).join('');
}
