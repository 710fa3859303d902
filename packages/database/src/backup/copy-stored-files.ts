import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceFiles } from './backed-up-service.js';
import { copyAndHashFile, callForEachConcurrently, resolvePathInFolder } from './file-operations.js';
import { JsonLinesFileWriter, readJsonLinesFile } from './json-lines-file.js';
import {
  type BackupManifest,
  backupFileNames,
  type BackupFileSizeAndHash,
  type BackupFileListEntry,
} from './backup-manifest.js';

/**
 * Maximum number of missing files that the backup command prints. The list of files in the backup contains all missing
 * files.
 */
const maxPrintedMissingFiles = 20;

/**
 * Result of copying the files of a backup: the list file with its size and hash, and the numbers of copied and missing
 * files.
 */
export interface CopiedFileSummary {
  readonly list: BackupFileSizeAndHash;
  readonly counts: BackupManifest['files'];
}

/**
 * Copies stored files into the folder of a backup, and writes a list of the files with their sizes and hashes. The list
 * names files that no longer exist as missing. The files of a bucket are not copied.
 *
 * @param target folder of the backup; `keyList` is the path of a temporary list of file keys, which is removed after
 *   the copy
 */
export async function copyStoredFiles(
  store: ServiceFiles['store'],
  {
    folder,
    keyList,
    print,
  }: { readonly folder: string; readonly keyList: string; readonly print: (line: string) => void },
): Promise<CopiedFileSummary> {
  const files = join(folder, backupFileNames.files);
  await mkdir(files, { mode: 0o700 });
  const list = await JsonLinesFileWriter.createFileAndWriter(join(folder, backupFileNames.fileList));
  let [count, bytes, missing] = [0, 0, 0];
  const copy = async (key: string): Promise<void> => {
    if (store.kind === 'bucket') return;
    const sum = await copyAndHashFile(resolvePathInFolder(store.folder, key), resolvePathInFolder(files, key));
    const listed: BackupFileListEntry = sum === null ? { key, missing: true } : { key, ...sum };
    await list.appendJsonLine(listed);
    if (sum === null) {
      missing += 1;
      if (missing <= maxPrintedMissingFiles) print(`missing: ${key}`);
      return;
    }
    count += 1;
    bytes += sum.bytes;
  };
  try {
    await callForEachConcurrently(readStoredFileKeys(keyList), copy);
    const sum = await list.finishFile();
    await rm(keyList);
    return { list: { name: backupFileNames.fileList, ...sum }, counts: { count, bytes, missing } };
  } finally {
    await list.closeUnfinishedFile();
  }
}

async function* readStoredFileKeys(path: string): AsyncGenerator<string> {
  for await (const key of readJsonLinesFile(path)) yield String(key);
}
