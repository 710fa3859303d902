import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupError } from './backup-error.js';
import {
  copyAndHashFile,
  findFileSize,
  callForEachConcurrently,
  doesFileMatchHash,
  resolvePathInFolder,
  flushFolderEntries,
  listFilesRecursively,
} from './file-operations.js';
import { backupFileNames } from './backup-manifest.js';
import { readBackupFileList } from './verify-backup.js';

/**
 * Name of a subfolder in the folder of stored files. The subfolder contains restored files that are not yet renamed to
 * their final paths.
 */
const temporaryRestoreFolderName = '.restoring';

/** Restored files in a temporary subfolder of the folder of stored files, on the same file system. */
export class TemporaryRestoredFiles {
  readonly #staging: string;

  /** @param root folder of the stored files */
  constructor(private readonly root: string) {
    this.#staging = join(root, temporaryRestoreFolderName);
  }

  /**
   * Copies the files of a backup that the folder does not have yet. No stored file changes.
   *
   * @param replaces false if a stored file with other content is an error
   * @throws BackupError for such a file, or if a file of the backup changed since it was checked
   */
  async copyMissingFiles(backup: string, replaces: boolean): Promise<void> {
    await this.removeTemporaryFiles();
    await callForEachConcurrently(readBackupFileList(backup), async (file) => {
      if ('missing' in file) return;
      const { key } = file;
      const stored = resolvePathInFolder(this.root, key);
      if (await doesFileMatchHash(stored, file)) return;
      const exists = (await findFileSize(stored)) !== null;
      if (exists && !replaces) {
        throw new BackupError(`The file ${stored} has other content than in the backup. Add --replace to replace it.`);
      }
      const from = resolvePathInFolder(join(backup, backupFileNames.files), key);
      const sum = await copyAndHashFile(from, resolvePathInFolder(this.#folderOf(exists), key));
      if (sum?.sha256 !== file.sha256) throw new BackupError(`${from} has changed since it was checked.`);
    });
  }

  /** Renames copied files to their final paths: either only new files, or only files that replace stored files. */
  async renameToFinalPaths(files: 'new' | 'replacing'): Promise<void> {
    const folder = this.#folderOf(files === 'replacing');
    for await (const key of listFilesRecursively(folder)) {
      const target = resolvePathInFolder(this.root, key);
      await mkdir(dirname(target), { recursive: true });
      await rename(resolvePathInFolder(folder, key), target);
      await flushFolderEntries(dirname(target));
    }
  }

  /** Removes the copied files that are not yet renamed to their final paths. */
  async removeTemporaryFiles(): Promise<void> {
    await rm(this.#staging, { recursive: true, force: true });
  }

  #folderOf(isReplacing: boolean): string {
    return join(this.#staging, isReplacing ? 'replacing' : 'new');
  }
}
