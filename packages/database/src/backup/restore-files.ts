import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupError } from './backup-error.js';
import {
  copyFileWithSum,
  findFileSize,
  forEachConcurrently,
  hasSum,
  pathInFolder,
  syncFolder,
  walkFiles,
} from './folder-files.js';
import { backupNames } from './manifest.js';
import { readFileList } from './verify-backup.js';

/** Folder, in that of the stored files, for restored files that do not have their names yet. */
const stagingFolder = '.restoring';

/** Restored files in a folder next to the stored files, on the same file system. */
export class StagedFiles {
  readonly #staging: string;

  /** @param root folder of the stored files */
  constructor(private readonly root: string) {
    this.#staging = join(root, stagingFolder);
  }

  /**
   * Copies the files of a backup that the folder does not have yet. No stored file changes.
   *
   * @param replaces false if a stored file with other content is an error
   * @throws BackupError for such a file, or if a file of the backup changed since it was checked
   */
  async stage(backup: string, replaces: boolean): Promise<void> {
    await this.remove();
    await forEachConcurrently(readFileList(backup), async (file) => {
      if ('missing' in file) return;
      const { key } = file;
      const stored = pathInFolder(this.root, key);
      if (await hasSum(stored, file)) return;
      const exists = (await findFileSize(stored)) !== null;
      if (exists && !replaces) {
        throw new BackupError(`The file ${stored} has other content than in the backup. Add --replace to replace it.`);
      }
      const from = pathInFolder(join(backup, backupNames.files), key);
      const sum = await copyFileWithSum(from, pathInFolder(this.#folderOf(exists), key));
      if (sum?.sha256 !== file.sha256) throw new BackupError(`${from} has changed since it was checked.`);
    });
  }

  /** Gives staged files their names: those that did not exist before, or those that replace stored files. */
  async publish(files: 'new' | 'replacing'): Promise<void> {
    const folder = this.#folderOf(files === 'replacing');
    for await (const key of walkFiles(folder)) {
      const target = pathInFolder(this.root, key);
      await mkdir(dirname(target), { recursive: true });
      await rename(pathInFolder(folder, key), target);
      await syncFolder(dirname(target));
    }
  }

  /** Removes the staged files that do not have their names yet. */
  async remove(): Promise<void> {
    await rm(this.#staging, { recursive: true, force: true });
  }

  #folderOf(isReplacing: boolean): string {
    return join(this.#staging, isReplacing ? 'replacing' : 'new');
  }
}
