import { constants } from 'node:fs';
import { open, opendir, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve, sep } from 'node:path';
import type { DataSourceSettings } from './data-source-settings.js';
import type { ListedSourceFile } from './compare-source-files.js';
import { SyncError } from './data-source-sync-error.js';

/** Number of directory entries that are read from the file system together. */
const directoryEntriesPerRead = 256;

/**
 * Lists the files of a local folder and the folders below it. Symbolic links to files in the folder are followed, those
 * to folders are ignored.
 *
 * @param url absolute path, or such a path after `file://`
 * @throws SyncError if the folder is not one of the allowed folders or below one, cannot be read, or has too many
 * folders, or if a link leads out of it
 * @throws the reason of the signal after an abort
 */
export async function* listLocalFiles(
  url: string,
  { folders: allowed, limits }: Pick<DataSourceSettings, 'folders' | 'limits'>,
  signal: AbortSignal,
): AsyncGenerator<ListedSourceFile> {
  const root = await resolveAllowedFolder(url.replace(/^file:\/\//i, ''), allowed);
  const folders = [''];
  for (const folder of folders) {
    const directory = await convertFileToSyncErrors(
      opendir(join(root, folder), { bufferSize: directoryEntriesPerRead }),
      folder,
    );
    for await (const entry of directory) {
      signal.throwIfAborted();
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (folders.length > limits.files) throw new SyncError(`The folder has more than ${limits.files} folders.`);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) yield { path, read: (maxBytes) => readLocalFile(root, path, maxBytes) };
      else if (entry.isSymbolicLink() && (await isLinkToFile(root, path))) {
        yield { path, read: (maxBytes) => readLocalFile(root, path, maxBytes) };
      }
    }
  }
}

/**
 * Returns the real path of a local folder. The function accesses the folder only after a check that the path is
 * allowed.
 */
async function resolveAllowedFolder(path: string, allowed: readonly string[]): Promise<string> {
  const roots = allowed.map((folder) => resolve(folder));
  if (!isAbsolute(path) || !roots.some((root) => isPathWithinFolder(root, resolve(path))))
    throw createFolderNotAllowedError(path);
  const real = await convertFileToSyncErrors(realpath(path), path);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  if (!realRoots.some((root) => isPathWithinFolder(root, real))) throw createFolderNotAllowedError(path);
  if (!(await stat(real)).isDirectory()) throw new SyncError(`${path} is not a folder.`);
  return real;
}

function createFolderNotAllowedError(path: string): SyncError {
  return new SyncError(`${path} is not below a folder of the setting DATA_SOURCE_FOLDERS.`);
}

function isPathWithinFolder(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/**
 * Returns true if a symbolic link leads to a file in the data source's folder. Returns false if the link leads to a
 * directory in the folder.
 */
async function isLinkToFile(root: string, path: string): Promise<boolean> {
  const target = await resolvePathWithinFolder(root, path);
  return (await convertFileToSyncErrors(stat(target), path)).isFile();
}

/**
 * Returns the real path of a file in the data source's folder.
 *
 * @throws SyncError if a symbolic link leads out of the folder
 */
async function resolvePathWithinFolder(root: string, path: string): Promise<string> {
  const real = await convertFileToSyncErrors(realpath(join(root, path)), path);
  if (!isPathWithinFolder(root, real)) throw new SyncError(`The link ${path} leads out of the folder.`);
  return real;
}

/**
 * Reads a local file of a data source. After opening the file, checks again that the file is in the folder. A part of
 * the path may have been replaced by a link since the listing.
 */
async function readLocalFile(root: string, path: string, maxBytes: number): Promise<Uint8Array> {
  const real = await resolvePathWithinFolder(root, path);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await convertFileToSyncErrors(open(real, flags), path);
  try {
    const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => real);
    if (!isPathWithinFolder(root, opened)) throw new SyncError(`The link ${path} leads out of the folder.`);
    const stats = await file.stat();
    if (!stats.isFile()) throw new SyncError(`${path} is not a file.`);
    if (stats.size > maxBytes) throw new SyncError(`${path} has more than ${maxBytes} bytes.`);
    const chunks: Buffer[] = [];
    // The file may grow meanwhile: one byte beyond the limit is read.
    for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

/** Waits for a file system operation. Converts a file system error to a {@link SyncError} with the error code. */
async function convertFileToSyncErrors<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new SyncError(`${path === '' ? 'The folder' : path} cannot be read: ${code}`, { cause: error });
  }
}
