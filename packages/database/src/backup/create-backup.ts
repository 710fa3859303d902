import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BackedUpService } from './backed-up-service.js';
import { BackupError } from './backup-error.js';
import { copyStoredFiles } from './copy-stored-files.js';
import { dumpDatabase } from './dump-database.js';
import { syncFolder, syncFolders } from './folder-files.js';
import { backupNames, writeManifest } from './manifest.js';

/** Options of {@link createBackup}. */
export interface CreateBackupOptions {
  /** Folder of the backup, which must be empty or absent. */
  readonly folder: string;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
}

/**
 * Makes a backup of the database and the files of a service, while the service may run. All rows are of one snapshot.
 * Files are copied after it, so that a row lacks its file only if the file was removed meanwhile. The manifest is
 * written last.
 *
 * @throws BackupError with a message for the operator. The folder is then empty again
 */
export async function createBackup(
  service: BackedUpService,
  { folder: given, print }: CreateBackupOptions,
): Promise<void> {
  const folder = resolve(given);
  await requireEmptyFolder(folder);
  try {
    const { dump, keyList, ...source } = await dumpDatabase(service, folder);
    print(`Dumped the database: ${dump.bytes} bytes.`);
    const { list, counts } = await copyStoredFiles(service.files.store, { folder, keyList, print });
    await syncFolders(folder);
    const { store } = service.files;
    const buckets = store.kind === 'bucket' ? [{ endpoint: store.endpoint, bucket: store.bucket }] : [];
    const { product, release, keys } = service;
    const manifest = { product, release, ...source, parts: [dump, list], files: counts, buckets, keys: keys.prove() };
    await writeManifest(folder, manifest);
    for (const { bucket } of buckets) print(`The files in the bucket ${bucket} are not part of the backup.`);
    const missing = counts.missing === 0 ? '' : `, and ${counts.missing} are missing`;
    print(`The backup is complete: ${counts.count} files were copied${missing}.`);
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

/** Creates the folder of a backup. @throws BackupError if it contains anything */
async function requireEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.includes(backupNames.manifest)) throw new BackupError(`${folder} contains a backup. Name another folder.`);
  if (names.length > 0) {
    throw new BackupError(
      `${folder} is not empty. An interrupted backup may be left there: empty it, or name another.`,
    );
  }
  await syncFolder(dirname(folder));
}
