import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, FileStorage } from './file-storage.js';

/** Where files are until they are whole. */
const incoming = '.incoming';

/** Files in a folder of this machine, or of one that all machines mount. */
export class DiskStorage implements FileStorage {
  readonly #root: string;

  /** @param root Made when the first file is stored. */
  constructor(root: string) {
    this.#root = resolve(root);
  }

  async write(key: string, source: AsyncIterable<Buffer>, _contentType: string): Promise<void> {
    const target = this.#pathOf(key);
    const partial = join(this.#root, incoming, randomUUID());
    await mkdir(dirname(partial), { recursive: true });
    try {
      // Flushed before it gets its name: a machine that loses power has the whole file there, or none.
      await pipeline(source, createWriteStream(partial, { flush: true }));
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
      if (isMissing(error)) return null;
      throw error;
    }
    return createReadStream(path, range);
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  #pathOf(key: string): string {
    const path = resolve(this.#root, key);
    if (!path.startsWith(this.#root + sep)) throw new Error('A key leads out of the folder of files');
    return path;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
