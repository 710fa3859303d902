import { constants } from 'node:fs';
import { access, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { InstallationCheckFinding, InstallationCheck } from './run-installation-checks.js';

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

/** Bucket of an S3-compatible store, such as an `S3Bucket` of `@switchboard/s3`. */
export interface CheckedBucket {
  write(key: string, source: AsyncIterable<Buffer>, contentType: string): Promise<void>;
  /** Returns the content of an object; null if the object does not exist. */
  read(key: string): Promise<Buffer | null>;
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Returns a check that writes an object to a bucket, reads its content back and removes the object. Closes the bucket. */
export function createBucketCheck(name: string, bucket: CheckedBucket): InstallationCheck {
  const check = createFileStoreCheck(`The bucket ${name}`, {
    write: (key, content) => bucket.write(key, Readable.from([Buffer.from(content)]), 'text/plain'),
    read: async (key) => (await bucket.read(key))?.toString() ?? null,
    remove: (key) => bucket.remove(key),
  });
  return {
    ...check,
    run: async () => {
      try {
        return await check.run();
      } finally {
        await bucket.close();
      }
    },
  };
}

/** Folder that {@link createFolderCheck} tests, and the operations that the service needs in it. */
export interface FolderCheckOptions {
  /** Name of the check. Default `files`. */
  readonly name?: string;
  readonly folder: string;
  /** Names of subfolders in which the service creates files. Those that do not exist yet are not checked. */
  readonly subfolders?: readonly string[];
  /** True if the service creates hard links, which some network folders do not support. */
  readonly createsHardLinks?: boolean;
}

/** Returns a check that a folder and its subfolders store files. The check creates no folder. */
export function createFolderCheck(options: FolderCheckOptions): InstallationCheck {
  const { name = 'files', subfolders = [], createsHardLinks = false } = options;
  const root = resolve(options.folder);
  return {
    name,
    run: async () => {
      const parent = await findExistingFolder(root);
      if (parent !== root) {
        await access(parent, constants.W_OK);
        const text = `The folder ${root} does not exist. The first stored file creates it in ${parent}.`;
        return { level: 'warning', text };
      }
      for (const subfolder of subfolders) {
        const folder = join(root, subfolder);
        if ((await findExistingFolder(folder)) !== folder) continue;
        const finding = await writeAndReadFile(`The folder ${folder}`, createFolderStore(folder, createsHardLinks));
        if (finding.level !== 'ok') return finding;
      }
      return writeAndReadFile(`The folder ${root}`, createFolderStore(root, createsHardLinks));
    },
  };
}

/** Returns the store of a folder. With `createsHardLinks`, a file gets its name by a hard link. */
function createFolderStore(folder: string, createsHardLinks: boolean): CheckedFileStore {
  const partialOf = (name: string): string => join(folder, createsHardLinks ? `${name}.partial` : name);
  return {
    write: async (name, content) => {
      await writeFile(partialOf(name), content, { flag: 'wx' });
      if (createsHardLinks) await link(partialOf(name), join(folder, name));
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    remove: async (name) => {
      await rm(partialOf(name), { force: true });
      await rm(join(folder, name), { force: true });
    },
  };
}

async function writeAndReadFile(place: string, store: CheckedFileStore): Promise<InstallationCheckFinding> {
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
