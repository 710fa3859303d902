import { constants } from 'node:fs';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { CheckFinding, InstallationCheck } from './run-checks.js';

/** Stores, reads and removes files, such as a bucket. */
export interface CheckedFileStore {
  write(name: string, content: string): Promise<void>;
  /** Returns the content of a file; null if the file does not exist. */
  read(name: string): Promise<string | null>;
  remove(name: string): Promise<void>;
}

/**
 * Returns a check that writes a file, reads its content back and removes the file.
 *
 * @param place name of the store in the text, such as `the bucket files`
 */
export function createFileStoreCheck(place: string, store: CheckedFileStore): InstallationCheck {
  return { name: 'files', run: () => writeAndReadFile(place, store) };
}

/** Returns a check that a folder stores files. The check creates no folder. */
export function createFolderCheck(folder: string): InstallationCheck {
  const root = resolve(folder);
  const store: CheckedFileStore = {
    write: (name, content) => writeFile(join(root, name), content, { flag: 'wx' }),
    read: (name) => readFile(join(root, name), 'utf8'),
    remove: (name) => rm(join(root, name), { force: true }),
  };
  return {
    name: 'files',
    run: async () => {
      const parent = await findExistingFolder(root);
      if (parent === root) return writeAndReadFile(`The folder ${root}`, store);
      await access(parent, constants.W_OK);
      return {
        level: 'warning',
        text: `The folder ${root} does not exist. The first stored file creates it in ${parent}.`,
      };
    },
  };
}

async function writeAndReadFile(place: string, store: CheckedFileStore): Promise<CheckFinding> {
  const name = `.switchboard-check-${randomUUID()}`;
  const content = randomUUID();
  try {
    await store.write(name, content);
    const read = await store.read(name);
    if (read !== content) return { level: 'failed', text: `${place} returned another content than was written.` };
  } finally {
    await store.remove(name);
  }
  return { level: 'ok', text: `${place} stores files.` };
}

async function findExistingFolder(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || dirname(folder) === folder) throw error;
    return findExistingFolder(dirname(folder));
  }
}
