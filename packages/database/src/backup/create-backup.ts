import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BackedUpService, BackedUpEncryptionKeyProof } from './backed-up-service.js';
import { BackupError, getErrorDescription } from './backup-error.js';
import { copyStoredFiles } from './copy-stored-files.js';
import { dumpDatabase } from './dump-database.js';
import { flushFolderEntries, flushFolderTreeEntries } from './file-operations.js';
import { backupFileNames, writeBackupManifest } from './backup-manifest.js';

/** Destination and progress output of {@link createBackup}. */
export interface CreateBackupOptions {
  /** Folder for the new backup, which must be empty or absent. */
  readonly folder: string;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
}

/**
 * Makes a backup of the database and the files of a service, while the service may run. All rows are from one database
 * snapshot. The files are copied after the snapshot, so that a row's file is missing only if the service removed the
 * file meanwhile. The manifest is written last.
 *
 * @throws BackupError with a message for the operator. The folder of the backup is then empty again
 */
export async function createBackup(
  service: BackedUpService,
  { folder: given, print }: CreateBackupOptions,
): Promise<void> {
  const folder = resolve(given);
  await reserveBackupFolder(folder);
  try {
    const { dump, keyList, keys, ...source } = await dumpDatabase(service, folder);
    warnAboutUnconfiguredKeys(service, keys, print);
    print(`Dumped the database: ${dump.bytes} bytes.`);
    const { list, counts } = await copyStoredFiles(service.files.store, { folder, keyList, print });
    await flushFolderTreeEntries(folder);
    const { store } = service.files;
    const buckets = store.kind === 'bucket' ? [{ endpoint: store.endpoint, bucket: store.bucket }] : [];
    const { product, release } = service;
    await writeBackupManifest(folder, {
      product,
      release,
      ...source,
      parts: [dump, list],
      files: counts,
      buckets,
      keys,
    });
    for (const { bucket } of buckets) print(`The files in the bucket ${bucket} are not part of the backup.`);
    const missing = counts.missing === 0 ? '' : `, and ${counts.missing} are missing`;
    print(`The backup is complete: ${counts.count} files were copied${missing}.`);
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
  // The manifest makes the backup complete, whether this file remains or not.
  await rm(join(folder, backupReservationFileName), { force: true }).catch(() => {});
}

/**
 * Prints a warning if a restore of the backup needs keys that are not configured now. The backup continues, because
 * such a backup is better than no backup.
 */
function warnAboutUnconfiguredKeys(
  service: BackedUpService,
  keys: readonly BackedUpEncryptionKeyProof[],
  print: (line: string) => void,
): void {
  try {
    service.keys.verify(keys);
  } catch (error) {
    print(`Warning: ${getErrorDescription(error)} This backup can be restored only with the former keys.`);
  }
}

/** Name of a file in the backup's folder that exists while the backup is unfinished. */
const backupReservationFileName = '.unfinished';

/**
 * Creates the folder of a backup, and reserves it, so that two backups cannot write into one folder.
 *
 * @throws BackupError if it contains anything
 */
async function reserveBackupFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  requireNoUnexpectedFiles(folder, await readdir(folder));
  await writeFile(join(folder, backupReservationFileName), '', { flag: 'wx', mode: 0o600 });
  // Another backup may have been completed since the folder was read.
  const others = (await readdir(folder)).filter((name) => name !== backupReservationFileName);
  if (others.length > 0) await rm(join(folder, backupReservationFileName));
  requireNoUnexpectedFiles(folder, others);
  await flushFolderEntries(dirname(folder));
}

function requireNoUnexpectedFiles(folder: string, names: readonly string[]): void {
  if (names.includes(backupFileNames.manifest))
    throw new BackupError(`${folder} contains a backup. Name another folder.`);
  if (names.length > 0) {
    throw new BackupError(
      `${folder} is not empty. An interrupted backup may be left there: empty it, or name another.`,
    );
  }
}
