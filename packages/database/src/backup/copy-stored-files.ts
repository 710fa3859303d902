import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredFiles } from './backed-up-service.js';
import { copyFileWithSum, forEachConcurrently, pathInFolder } from './folder-files.js';
import { LineFileWriter, readLineFile } from './line-file.js';
import { type BackupManifest, backupNames, type BackupPart, type ListedFile } from './manifest.js';

/** Number of missing files that are printed. The list of files of the backup contains all. */
const printedMissingFiles = 20;

/** Copied files of a backup: the list with their sums, and their number. */
export interface CopiedFiles {
  readonly list: BackupPart;
  readonly counts: BackupManifest['files'];
}

/**
 * Copies stored files into the folder of a backup, and lists them with their sums. Files that no longer exist are listed
 * as missing. The files of a bucket are not copied.
 *
 * @param target folder of the backup; `keyList` is the path of a list of the files, which is removed
 */
export async function copyStoredFiles(
  store: StoredFiles['store'],
  {
    folder,
    keyList,
    print,
  }: { readonly folder: string; readonly keyList: string; readonly print: (line: string) => void },
): Promise<CopiedFiles> {
  const files = join(folder, backupNames.files);
  await mkdir(files, { mode: 0o700 });
  const list = await LineFileWriter.create(join(folder, backupNames.fileList));
  let [count, bytes, missing] = [0, 0, 0];
  const copy = async (key: string): Promise<void> => {
    if (store.kind === 'bucket') return;
    const sum = await copyFileWithSum(pathInFolder(store.folder, key), pathInFolder(files, key));
    const listed: ListedFile = sum === null ? { key, missing: true } : { key, ...sum };
    await list.add(listed);
    if (sum === null) {
      missing += 1;
      if (missing <= printedMissingFiles) print(`missing: ${key}`);
      return;
    }
    count += 1;
    bytes += sum.bytes;
  };
  try {
    await forEachConcurrently(readKeys(keyList), copy);
    const sum = await list.finish();
    await rm(keyList);
    return { list: { name: backupNames.fileList, ...sum }, counts: { count, bytes, missing } };
  } finally {
    await list.abandon();
  }
}

async function* readKeys(path: string): AsyncGenerator<string> {
  for await (const key of readLineFile(path)) yield String(key);
}
