import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { changeSuspectFiles, type MediaFiles, type MediaLogger } from './media-files.js';

/** Name of the folder that contains files while they are being written. */
export const incompleteFilesFolder = '.incoming';
/**
 * Name of the folder that contains a hard link for each suspect (possibly unused) file, at the path of the file. A hard
 * link needs no disk space. Creating the link updates the file's time of change (ctime).
 */
export const suspectFilesFolder = '.suspects';

/** Stores uploaded pictures in a folder of this machine, or in a shared folder that is mounted on all machines. */
export class MediaFolder implements MediaFiles {
  readonly #root: string;

  /** @param root created together with the first file */
  constructor(
    root: string,
    private readonly logger: MediaLogger,
  ) {
    this.#root = resolve(root);
  }

  /**
   * Stores a file, marks the file as suspect, which means possibly unused, and returns the file's path; see
   * {@link MediaFiles}.
   */
  async add(path: string, content: Buffer): Promise<string> {
    const partial = join(this.#root, incompleteFilesFolder, randomUUID());
    await mkdir(dirname(partial), { recursive: true });
    try {
      const file = await open(partial, 'wx');
      try {
        await file.writeFile(content);
        // After a power failure, the file is complete under its name or does not exist.
        await file.sync();
      } finally {
        await file.close();
      }
      return await this.#moveToPath(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Marks files as suspect, which means possibly unused; see {@link MediaFiles}. */
  async markAsSuspect(paths: readonly string[]): Promise<void> {
    // A missing file needs no mark.
    await Promise.all(
      paths.map((path) => this.#createLink(this.#pathOf(path), this.#suspectPathOf(path), ['EEXIST', 'ENOENT'])),
    );
  }

  /** Marks files as used by an object; see {@link MediaFiles}. */
  markAsUsed(paths: readonly string[]): Promise<void> {
    return changeSuspectFiles(paths, this.logger, (path) => rm(this.#suspectPathOf(path), { force: true }));
  }

  /** Removes the files that are suspect, which means possibly unused; see {@link MediaFiles}. */
  removeSuspects(paths: readonly string[]): Promise<void> {
    return changeSuspectFiles(paths, this.logger, async (path) => {
      await rm(this.#pathOf(path), { force: true });
      await rm(this.#suspectPathOf(path), { force: true });
    });
  }

  /**
   * Returns true if a file is suspect, which means possibly unused. A running or killed write has then not yet decided
   * about the file.
   */
  async isSuspectFile(path: string): Promise<boolean> {
    return (await findFileStatus(this.#suspectPathOf(path))) !== null;
  }

  /**
   * Returns the paths of files that became suspect (possibly unused) before a time, given in milliseconds since the
   * epoch.
   */
  async listSuspectFilesBefore(before: number): Promise<string[]> {
    return this.#listFilesBefore(suspectFilesFolder, before);
  }

  /**
   * Removes a suspect file to which no object refers, and the mark of the file. If another file has replaced the
   * suspect file at its path, the other file remains.
   */
  async removeSuspectFile(path: string): Promise<void> {
    const [file, suspect] = await Promise.all([
      findFileInode(this.#pathOf(path)),
      findFileInode(this.#suspectPathOf(path)),
    ]);
    if (file !== null && file === suspect) await rm(this.#pathOf(path), { force: true });
    await rm(this.#suspectPathOf(path), { force: true });
  }

  /** Removes incomplete files that processes left when they ended while storing a file. */
  async removeIncompleteFilesBefore(before: number): Promise<void> {
    for (const name of await this.#listFilesBefore(incompleteFilesFolder, before)) {
      await rm(join(this.#root, incompleteFilesFolder, name), { force: true });
    }
  }

  /** Returns the content of a stored file, or null if the file does not exist. */
  async read(path: string): Promise<Buffer | null> {
    try {
      return await readFile(this.#pathOf(path));
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Does nothing, because a folder has no connections. */
  async close(): Promise<void> {}

  /**
   * Moves a completely written file to `path`. If a file exists at `path`, adds a random part to the path. Returns the
   * path of the moved file.
   */
  async #moveToPath(partial: string, path: string): Promise<string> {
    // Unlike a rename, a link does not replace an existing file.
    if (await this.#createLink(partial, this.#suspectPathOf(path), ['EEXIST'])) {
      if (await this.#createLink(partial, this.#pathOf(path), ['EEXIST'])) return path;
      await rm(this.#suspectPathOf(path), { force: true });
    }
    const ending = extname(path);
    const part = randomBytes(4).toString('hex').slice(0, 7);
    return this.#moveToPath(partial, `${path.slice(0, path.length - ending.length)}_${part}${ending}`);
  }

  /**
   * Creates a hard link to a file and returns true. Returns false if the creation fails with one of the given error
   * codes.
   */
  async #createLink(file: string, name: string, codes: readonly string[]): Promise<boolean> {
    await mkdir(dirname(name), { recursive: true });
    try {
      await link(file, name);
      return true;
    } catch (error) {
      if (codes.includes(String(getErrorCode(error)))) return false;
      throw error;
    }
  }

  /** Returns the paths of the files in a folder that have not changed since the time `before`. */
  async #listFilesBefore(folder: string, before: number): Promise<string[]> {
    const top = join(this.#root, folder);
    const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (getErrorCode(error) === 'ENOENT') return [];
      throw error;
    });
    const found: string[] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = join(entry.parentPath, entry.name);
      const changed = (await findFileStatus(file))?.ctimeMs ?? before;
      if (changed < before) found.push(relative(top, file).split(sep).join('/'));
    }
    return found;
  }

  #suspectPathOf(path: string): string {
    this.#pathOf(path);
    return join(this.#root, suspectFilesFolder, path);
  }

  #pathOf(path: string): string {
    const whole = resolve(this.#root, path);
    if (!whole.startsWith(this.#root + sep)) throw new RangeError('The path leads outside the media folder');
    return whole;
  }
}

/** Returns the file system status of a file, or null if the file does not exist. */
async function findFileStatus(file: string): Promise<{ ino: number; dev: number; ctimeMs: number } | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function findFileInode(file: string): Promise<string | null> {
  const found = await findFileStatus(file);
  return found === null ? null : `${found.dev}:${found.ino}`;
}

function getErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
