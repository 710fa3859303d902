import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AdminError } from '../../admin-error.js';

const maxArchivePathLength = 1000;
const maxArchivePathSegmentLength = 255;

/**
 * Checks that a path in the archive does not lead out of the archive's folder. Returns the path without redundant
 * parts.
 *
 * @throws AdminError
 */
export function checkArchivePath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isValid =
    segments.length > 0 &&
    !path.startsWith('/') &&
    !/[\0\\]/.test(path) &&
    path.length <= maxArchivePathLength &&
    segments.every((segment) => segment !== '..' && Buffer.byteLength(segment) <= maxArchivePathSegmentLength);
  if (!isValid) throw new AdminError(`The archive contains a path that is not allowed: ${quotePathForMessage(path)}`);
  return segments.join('/');
}

/**
 * Returns the location on disk of a file of the archive, or null if the file does not exist.
 *
 * @throws AdminError if the path, or a symbolic link in it, leads out of the folder
 */
export async function findArchiveFile(folder: string, path: string): Promise<string | null> {
  const location = join(folder, checkArchivePath(path));
  const root = await realpath(folder);
  try {
    const target = await realpath(location);
    if (!target.startsWith(root + sep)) {
      throw new AdminError(`The archive contains a link that leads out of it: ${quotePathForMessage(path)}`);
    }
    return (await stat(target)).isFile() ? target : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(error.code))) {
      return null;
    }
    throw error;
  }
}

/** Returns a text from the archive for use in an error message: on one line, and shortened to a maximum length. */
export function quotePathForMessage(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
