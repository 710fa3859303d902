import { createHash } from 'node:crypto';
import { EventLoopPauser } from './pause-for-event-loop.js';
import type { DataSourceSyncLimits } from './data-source-settings.js';
import { SyncError } from './data-source-sync-error.js';

/** A file in the file listing of a data source. */
export interface ListedSourceFile {
  /** Path of the file in the source, with slashes as separators and without a leading slash. */
  readonly path: string;
  /**
   * Reads the content of the listed file. Stops reading shortly after `maxBytes` bytes if the file is longer.
   *
   * @throws SyncError if the file cannot be read
   */
  read(maxBytes: number): Promise<Uint8Array>;
}

/** A new or changed file of a data source, with the file's content. */
export interface ChangedSourceFile {
  readonly path: string;
  /** SHA-256 digest of the file's content in hexadecimal digits. */
  readonly hash: string;
  readonly data: Uint8Array;
}

/** Differences between the files of a data source and the files stored in the database. */
export interface FileDifferences {
  /** New and changed files of the data source, ordered by path. */
  readonly changed: readonly ChangedSourceFile[];
  /** Paths of stored files that no longer exist in the data source. */
  readonly removed: readonly string[];
}

export interface CompareFilesOptions {
  readonly listed: AsyncIterable<ListedSourceFile>;
  /** SHA-256 digests of the stored files, by path. */
  readonly stored: ReadonlyMap<string, string>;
  /**
   * Function that returns true if the ignore rules exclude a file. The function is called only for files that are not
   * stored.
   */
  readonly isIgnored: (path: string) => Promise<boolean>;
  readonly limits: DataSourceSyncLimits;
  readonly signal: AbortSignal;
}

/** Number of bytes that are hashed before the event loop can run other work. */
const bytesHashedPerEventLoopTurn = 1_048_576;

/** Maximum length of a file path in characters, which equals the length of the database column. */
export const maxSourceFilePathLength = 1000;

/**
 * Reads the files of a data source one after another and compares the files with the stored files. Only the content of
 * new and changed files remains in memory.
 *
 * @throws SyncError if a limit is exceeded or a file cannot be read
 */
export async function compareSourceFiles(comparison: CompareFilesOptions): Promise<FileDifferences> {
  const { listed, stored, isIgnored, limits, signal } = comparison;
  const changed: ChangedSourceFile[] = [];
  const seen = new Set<string>();
  const pauses = new EventLoopPauser();
  let bytes = 0;
  for await (const file of listed) {
    await pauses.pauseIfDue();
    signal.throwIfAborted();
    const { path } = file;
    if (!stored.has(path) && (await isIgnored(path))) continue;
    if (path.length > maxSourceFilePathLength)
      throw new SyncError(`A path has more than ${maxSourceFilePathLength} characters: ${path}`);
    if (path.includes('\0')) throw new SyncError(`A path contains a null character: ${path}`);
    if (seen.has(path)) throw new SyncError(`The data source lists ${path} twice.`);
    seen.add(path);
    if (seen.size > limits.files) throw new SyncError(`The data source has more than ${limits.files} files.`);
    const data = await file.read(limits.fileBytes);
    if (data.length > limits.fileBytes) throw new SyncError(`${path} has more than ${limits.fileBytes} bytes.`);
    bytes += data.length;
    if (bytes > limits.bytes) throw new SyncError(`The files have more than ${limits.bytes} bytes.`);
    const hash = await hashContent(data, pauses);
    if (stored.get(path) !== hash) changed.push({ path, hash, data });
  }
  const removed = [...stored.keys()].filter((path) => !seen.has(path));
  return { changed: changed.toSorted((one, other) => (one.path < other.path ? -1 : 1)), removed };
}

async function hashContent(data: Uint8Array, pauses: EventLoopPauser): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < data.length; from += bytesHashedPerEventLoopTurn) {
    hash.update(data.subarray(from, from + bytesHashedPerEventLoopTurn));
    await pauses.pauseIfDue();
  }
  return hash.digest('hex');
}
