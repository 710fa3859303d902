import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError } from '../../admin-error.js';
import { findArchiveFile } from './archive-path.js';
import { ArchiveTables } from './archive-tables.js';
import { extractTar } from './extract-tar.js';
import { createImportFolder, removeAbandonedImportFolders } from './import-folders.js';

/** An opened export archive of a realm: its files, and the tables of `realm.json`. */
export interface RealmArchive {
  readonly folder: string;
  readonly tables: ArchiveTables;
  /** Removes the temporary files that were created when the archive was opened. */
  close(): Promise<void>;
}

/**
 * Opens an organization's export: a tar archive, which is extracted into a temporary folder, or a folder with the
 * extracted archive. First removes the temporary folders of imports that were killed.
 *
 * @throws AdminError if the path or its content is not an export
 */
export async function openRealmArchive(path: string): Promise<RealmArchive> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new AdminError(`There is no file or folder ${path}.`);
  await removeAbandonedImportFolders();
  const work = await createImportFolder();
  const close = () => rm(work, { recursive: true, force: true });
  try {
    const extracted = join(work, 'archive');
    await mkdir(extracted);
    if (!found.isDirectory()) await extractTar(path, extracted);
    const folder = await findRealmJsonFolder(found.isDirectory() ? path : extracted);
    const realmFile = await findArchiveFile(folder, 'realm.json');
    if (realmFile === null) throw new AdminError(`${path} is not an export: it has no realm.json.`);
    return { folder, tables: await ArchiveTables.splitRealmJsonIntoTables(realmFile, join(work, 'tables')), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the folder that contains `realm.json`: the given folder, or its only subfolder. */
async function findRealmJsonFolder(folder: string): Promise<string> {
  const names = await readdir(folder);
  const [only] = names;
  return names.length === 1 && only !== undefined && only !== 'realm.json' ? join(folder, only) : folder;
}
