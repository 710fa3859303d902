import { join } from 'node:path';
import { compareReleaseVersions } from '../migrations/oldest-compatible-releases.js';
import type { BackedUpService } from './backed-up-service.js';
import { BackupError, getErrorDescription } from './backup-error.js';
import { callForEachConcurrently, doesFileMatchHash, resolvePathInFolder } from './file-operations.js';
import { readJsonLinesFile } from './json-lines-file.js';
import {
  type BackupManifest,
  backupFileNames,
  type BackupFileListEntry,
  parseBackupFileListEntry,
} from './backup-manifest.js';

/** Maximum number of damaged backup files that an error message names. */
const maxDamagedFilesNamedInError = 5;

/**
 * Checks that this service, with its release and keys, can use a backup.
 *
 * @throws BackupError that names the reason why not
 */
export async function requireUsableBackup(
  { product, release, keys, files, listMigrations }: BackedUpService,
  manifest: BackupManifest,
): Promise<void> {
  if (manifest.product !== product) {
    throw new BackupError(`The backup is of ${manifest.product}, and this is ${product}.`);
  }
  if (compareReleaseVersions(release, manifest.release) < 0) {
    throw new BackupError(
      `The backup was made by release ${manifest.release}. This is release ${release}: restore it with release ` +
        `${manifest.release} or later.`,
    );
  }
  if (!(await listMigrations()).includes(manifest.newestMigration)) {
    throw new BackupError(
      `This release ${release} lacks the migration ${manifest.newestMigration} of the backup. Restore it with the ` +
        `release that made it, or with one that has this migration.`,
    );
  }
  try {
    keys.verify(manifest.keys);
  } catch (error) {
    throw new BackupError(`The backup cannot be used with these keys. ${getErrorDescription(error)}`, { cause: error });
  }
  if (files.store.kind === 'bucket' && manifest.files.count > 0) {
    throw new BackupError(
      `The backup contains ${manifest.files.count} files, and this service stores files in the bucket ` +
        `${files.store.bucket}. Configure a folder.`,
    );
  }
}

/**
 * Yields the entries of the file list of a backup, including files that were missing. @throws BackupError if the list
 * is damaged
 */
export async function* readBackupFileList(folder: string): AsyncGenerator<BackupFileListEntry> {
  for await (const value of readJsonLinesFile(join(folder, backupFileNames.fileList)))
    yield parseBackupFileListEntry(value);
}

/**
 * Compares all parts and files of a backup with their sums.
 *
 * @throws BackupError that names damaged ones
 */
export async function requireIntactBackup(folder: string, { parts, files }: BackupManifest): Promise<void> {
  const damaged: string[] = [];
  let damages = 0;
  const report = (name: string): void => {
    damages += 1;
    if (damaged.length < maxDamagedFilesNamedInError) damaged.push(name);
  };
  for (const part of parts) if (!(await doesFileMatchHash(join(folder, part.name), part))) report(part.name);
  if (damages === 0) {
    let count = 0;
    await callForEachConcurrently(readBackupFileList(folder), async (file) => {
      if ('missing' in file) return;
      count += 1;
      const path = resolvePathInFolder(join(folder, backupFileNames.files), file.key);
      if (!(await doesFileMatchHash(path, file))) report(`${backupFileNames.files}/${file.key}`);
    });
    if (count !== files.count) report(backupFileNames.fileList);
  }
  if (damages === 0) return;
  const named = damaged.join(', ') + (damages > damaged.length ? ` and ${damages - damaged.length} more` : '');
  throw new BackupError(`The backup is damaged or incomplete. These files differ from their sums: ${named}.`);
}
