import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, extname, join, resolve, sep } from 'node:path';
import type { MediaStore } from '../engine/uploads/upload.js';

/** Where files are until they are whole. */
const incoming = '.incoming';

/** Pictures of objects in a folder of this machine, or of one that all machines mount. */
export class MediaFolder implements MediaStore {
  readonly #root: string;

  /** @param root Made when the first file is kept. */
  constructor(root: string) {
    this.#root = resolve(root);
  }

  /** See {@link MediaStore}. */
  async add(path: string, content: Buffer): Promise<string> {
    const partial = join(this.#root, incoming, randomUUID());
    await mkdir(dirname(partial), { recursive: true });
    try {
      const file = await open(partial, 'wx');
      try {
        await file.writeFile(content);
        // A machine that loses power has the whole file under its name, or none.
        await file.sync();
      } finally {
        await file.close();
      }
      return await this.#place(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** See {@link MediaStore}. */
  async remove(paths: readonly string[]): Promise<void> {
    await Promise.all(paths.map((path) => rm(this.#pathOf(path), { force: true })));
  }

  /** The file; null when there is none. */
  async read(path: string): Promise<Buffer | null> {
    try {
      return await readFile(this.#pathOf(path));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Gives a file its name; where that is taken, a random part is added to it. */
  async #place(partial: string, path: string): Promise<string> {
    const target = this.#pathOf(path);
    await mkdir(dirname(target), { recursive: true });
    try {
      // Unlike a rename, a link does not take the name of another file.
      await link(partial, target);
      return path;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const ending = extname(path);
      const part = randomBytes(4).toString('hex').slice(0, 7);
      return this.#place(partial, `${path.slice(0, path.length - ending.length)}_${part}${ending}`);
    }
  }

  #pathOf(path: string): string {
    const whole = resolve(this.#root, path);
    if (!whole.startsWith(this.#root + sep)) throw new RangeError('A path leads out of the folder of files');
    return whole;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
