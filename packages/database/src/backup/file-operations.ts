import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { BackupError } from './backup-error.js';

/** Size of a file in bytes, and the SHA-256 hash of its content in lower-case hexadecimal. */
export interface FileSizeAndHash {
  readonly bytes: number;
  readonly sha256: string;
}

/** Maximum number of files that a backup or restore copies or compares concurrently. */
const maxConcurrentFileOperations = 4;
const fileReadChunkBytes = 1_048_576;

/**
 * Returns the absolute path of the file with the given key in a folder. @throws BackupError for a key that leads
 * outside the folder
 */
export function resolvePathInFolder(folder: string, key: string): string {
  const root = resolve(folder);
  const path = resolve(root, key);
  if (path.startsWith(root + sep) && !key.includes('\0')) return path;
  throw new BackupError(`The file name ${JSON.stringify(key)} leads outside its folder.`);
}

/** Returns true if a system error means that a file or folder does not exist. */
export function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && ['ENOENT', 'ENOTDIR'].includes(String(Reflect.get(error, 'code')));
}

/** Returns the size of a file in bytes, or null if the path does not exist or is not a file. */
export async function findFileSize(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
}

/**
 * Writes all bytes of a source to a new file and flushes the file to disk. Returns the size and the SHA-256 hash of the
 * file. Creates missing folders.
 */
export async function writeAndHashFile(path: string, source: AsyncIterable<Buffer>): Promise<FileSizeAndHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, counted(), { flag: 'wx', flush: true, mode: 0o600 });
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Copies a file to a new file, flushes the new file to disk, and returns its size and SHA-256 hash. Returns null if the
 * source file does not exist.
 */
export async function copyAndHashFile(from: string, to: string): Promise<FileSizeAndHash | null> {
  const source = createReadStream(from, { highWaterMark: fileReadChunkBytes });
  try {
    // Opens the source before the target is created.
    await new Promise((opened, failed) => source.once('ready', () => opened(undefined)).once('error', failed));
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
  return writeAndHashFile(to, source);
}

/** Returns the size and the SHA-256 hash of a file, or null if the file does not exist. */
async function computeFileSizeAndHash(path: string): Promise<FileSizeAndHash | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: fileReadChunkBytes })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Returns true if a file exists and has the given size and SHA-256 hash. Reads the file only if the size is equal. */
export async function doesFileMatchHash(path: string, { bytes, sha256 }: FileSizeAndHash): Promise<boolean> {
  if ((await findFileSize(path)) !== bytes) return false;
  return (await computeFileSizeAndHash(path))?.sha256 === sha256;
}

/**
 * Yields the paths of all files in a folder and its subfolders. The paths are relative to the folder, with `/` between
 * names. Yields nothing if the folder does not exist.
 */
export async function* listFilesRecursively(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await opendir(join(folder, below)).catch((error: unknown) => {
    if (isMissingFileError(error)) return null;
    throw error;
  });
  if (entries === null) return;
  for await (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* listFilesRecursively(folder, path);
    else if (entry.isFile()) yield path;
  }
}

/**
 * Flushes the directory entries of a folder and of all its subfolders to disk, so that the names survive a power
 * failure.
 */
export async function flushFolderTreeEntries(folder: string): Promise<void> {
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory()) await flushFolderTreeEntries(join(folder, entry.name));
  }
  await flushFolderEntries(folder);
}

/** Flushes the directory entries of a folder to disk. */
export async function flushFolderEntries(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Calls a function with each item of a source, with a small number of concurrent calls. Rejects with the first error.
 */
export async function callForEachConcurrently<Item>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  for await (const item of source) {
    const call = work(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(call));
    running.add(call);
    if (running.size >= maxConcurrentFileOperations) await Promise.race(running);
    if (errors.length > 0) break;
  }
  // No call continues after the caller has handled an error.
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
