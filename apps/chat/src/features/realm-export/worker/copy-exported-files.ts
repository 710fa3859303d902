import { readStoredFile } from '../../../infra/storage/index.js';
import { createTarHeader, createTarPadding } from '../archive/create-tar-entry.js';
import { createArchiveName } from '../list-realm-exports.js';
import { ExportStorageError } from './export-attempt-failures.js';
import type { RealmExportContext } from './export-stage.js';

/** A stored file that is copied into the archive. */
export interface FileCopiedToArchive {
  readonly storageKey: string;
  /** Path of the copied file in the archive, relative to the folder of its kind of files. */
  readonly path: string;
  /** Size of the stored file in bytes. Null for a small file, which is read into memory completely. */
  readonly size: number | null;
  /** Row of the archive's `records.json` that describes the copied file. */
  readonly record: object;
}

/**
 * Yields the bytes of tar entries for stored files. Files that are missing from the storage are omitted. For each
 * copied file, the function calls `onCopied` with the file and the size in bytes.
 *
 * @throws ExportStorageError if a file cannot be read
 */
export async function* copyFilesToTarEntries(
  context: RealmExportContext,
  folder: string,
  files: readonly FileCopiedToArchive[],
  onCopied: (file: FileCopiedToArchive, size: number) => void,
): AsyncGenerator<Buffer> {
  for (const file of files) {
    const opened = await openStoredFile(context, file);
    if (opened === null) continue;
    yield createTarHeader({ name: `${folder}/${file.path}`, size: opened.size, modifiedAt: 0 });
    yield* limitToExactSize(convertStorageErrors(opened.content), opened.size);
    yield createTarPadding(opened.size);
    onCopied(file, opened.size);
  }
}

async function openStoredFile(
  { storage }: RealmExportContext,
  { storageKey, size }: FileCopiedToArchive,
): Promise<{ size: number; content: AsyncIterable<Buffer> | Iterable<Buffer> } | null> {
  try {
    if (size !== null) {
      const content = await storage.open(storageKey);
      return content && { size, content };
    }
    const content = await readStoredFile(storage, storageKey);
    return content && { size: content.length, content: [content] };
  } catch (error) {
    throw new ExportStorageError(error);
  }
}

async function* convertStorageErrors(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw new ExportStorageError(error);
  }
}

/**
 * Yields exactly `size` bytes: truncates a longer source and pads a shorter source with zeros. A damaged file therefore
 * does not corrupt the rest of the archive.
 */
async function* limitToExactSize(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk).subarray(0, left);
    left -= bytes.length;
    if (bytes.length > 0) yield bytes;
    if (left === 0) break;
  }
  if (left > 0) yield Buffer.alloc(left);
}

/** Returns the name of an archive's only top-level folder. */
export async function getArchiveFolderName({ database, realmId, exportId }: RealmExportContext): Promise<string> {
  const { rows } = await database.query<{ name: string }>('SELECT string_id AS name FROM realms WHERE id = $1', [
    realmId,
  ]);
  return createArchiveName(rows[0]?.name ?? '', exportId);
}

/**
 * Returns JSON text of rows that continue a list with `before` elements already written. In the first step, the text
 * begins with `opening`.
 */
export function formatJsonListElements(
  rows: readonly object[],
  before: number,
  isFirstStep: boolean,
  opening: string,
): string {
  const text = rows.map((row) => JSON.stringify(row)).join(',');
  return `${isFirstStep ? opening : ''}${before > 0 && rows.length > 0 ? ',' : ''}${text}`;
}
