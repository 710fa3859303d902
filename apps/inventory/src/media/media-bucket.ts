import { randomInt } from 'node:crypto';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '@switchboard/platform';
import type { S3Bucket } from '@switchboard/s3';
import { pictureTypes } from '../engine/uploads/read-picture-info.js';
import { changeSuspectFiles, type MediaFiles, type MediaLogger } from './media-files.js';

/**
 * Beginning of the keys of marks. A mark is an object for a suspect (possibly unused) file: its key ends with the path
 * of the file, and its content is the time of the mark in milliseconds since 1970.
 */
const markKeyPrefix = '.suspects/';

/** Services on which {@link MediaBucket} depends. */
export interface MediaBucketDependencies {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: MediaLogger;
}

/**
 * Stores uploaded pictures in a bucket of an S3-compatible store. The path of a file is the key of its object. Each file
 * gets a path of its own, because not all stores can refuse to replace an object.
 */
export class MediaBucket implements MediaFiles {
  constructor(
    private readonly bucket: S3Bucket,
    private readonly dependencies: MediaBucketDependencies,
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
    await this.bucket.write(path, Readable.from([content]), type);
    return path;
  }

  /** Marks files as suspect, which means possibly unused; see {@link MediaFiles}. */
  async markAsSuspect(paths: readonly string[]): Promise<void> {
    const time = Buffer.from(String(this.dependencies.clock.now()));
    await Promise.all(
      paths.map((path) => this.bucket.write(`${markKeyPrefix}${path}`, Readable.from([time]), 'text/plain')),
    );
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
    for await (const { key } of this.bucket.listObjects(markKeyPrefix)) {
      const time = await this.bucket.read(key);
      if (time !== null && Number(time.toString()) < before) found.push(key.slice(markKeyPrefix.length));
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
    return this.#isFilePath(path) ? this.bucket.read(path) : null;
  }

  /**
   * Yields the paths of all stored files, except suspect files: a running or killed write has not yet decided about
   * them.
   */
  async *listFiles(): AsyncGenerator<string> {
    const suspects = new Set<string>();
    for await (const { key } of this.bucket.listObjects(markKeyPrefix)) suspects.add(key.slice(markKeyPrefix.length));
    for await (const { key } of this.bucket.listObjects()) {
      if (!key.startsWith(markKeyPrefix) && !suspects.has(key)) yield key;
    }
  }

  /** Returns true if a file is stored at the path. */
  exists(path: string): Promise<boolean> {
    return this.bucket.exists(path);
  }

  /** Waits for running requests to the bucket, then closes all connections. */
  close(): Promise<void> {
    return this.bucket.close();
  }

  /** Returns true for a path that an S3 key can express and that is no mark. */
  #isFilePath(path: string): boolean {
    return !path.startsWith(markKeyPrefix) && !path.split('/').some((segment) => segment === '.' || segment === '..');
  }

  #changeSuspectFiles(paths: readonly string[], change: (path: string) => Promise<void>): Promise<void> {
    return changeSuspectFiles(paths, this.dependencies.logger, change);
  }
}

/** Returns nine random letters and digits. Paths of pictures leave room for as many. */
function createRandomPart(): string {
  return Array.from({ length: 9 }, () => randomInt(36).toString(36)).join('');
}
