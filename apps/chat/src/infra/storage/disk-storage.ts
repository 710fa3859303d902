import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange, FileStorage } from './file-storage.js';

/**
 * Name of the folder for incompletely written files. The file names are derived from the storage keys. A file left by a
 * process that died is removed when its key is removed.
 */
export const incompleteFilesFolder = '.incoming';

/** File storage in a local folder, or in a network folder that all machines mount. */
export class DiskStorage implements FileStorage {
  readonly #root: string;
  readonly #incoming: string;

  /** @param root Folder, which is created when the first file is stored. */
  constructor(root: string) {
    this.#root = resolve(root);
    this.#incoming = join(this.#root, incompleteFilesFolder);
  }

  async write(key: string, source: AsyncIterable<Buffer>, _contentType: string): Promise<void> {
    const target = this.#pathOf(key);
    const partial = join(this.#incoming, `${createIncompleteFilePrefix(key)}${randomUUID()}`);
    await mkdir(this.#incoming, { recursive: true });
    try {
      // The file is flushed before it gets its name, so that after a power failure it exists completely or not at all.
      // No stream is used, because a stream that is aborted while it opens its file creates the file afterwards.
      await writeFile(partial, source, { flush: true, flag: 'wx' });
      await mkdir(dirname(target), { recursive: true });
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable | null> {
    const path = this.#pathOf(key);
    try {
      await access(path);
    } catch (error) {
      if (isMissingFileError(error)) return null;
      throw error;
    }
    return createReadStream(path, range);
  }

  async remove(key: string): Promise<void> {
    const prefix = createIncompleteFilePrefix(key);
    const unfinished = (await this.#listUnfinishedUploads()).filter((name) => name.startsWith(prefix));
    // Incomplete files are removed first, so that none can be completed after the final file is removed.
    for (const name of unfinished) await rm(join(this.#incoming, name), { force: true });
    await rm(this.#pathOf(key), { force: true });
  }

  async #listUnfinishedUploads(): Promise<string[]> {
    try {
      return await readdir(this.#incoming);
    } catch (error) {
      if (isMissingFileError(error)) return [];
      throw error;
    }
  }

  #pathOf(key: string): string {
    const path = resolve(this.#root, key);
    if (!path.startsWith(this.#root + sep)) throw new Error('The key leads outside the folder of uploads');
    return path;
  }
}

/**
 * Returns the file name prefix of incompletely written files for a storage key. The prefix has a fixed length, because
 * file systems limit file names.
 */
function createIncompleteFilePrefix(key: string): string {
  return `${createHash('sha256').update(key).digest('hex')}.`;
}

function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
