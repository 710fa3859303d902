import { readStoredFile } from '../../../infra/storage/index.js';
import { createTarHeader, createTarPadding } from '../archive/create-tar-entry.js';
import { createArchiveName } from '../list-realm-exports.js';
import { StorageFaultError } from './export-attempt-failures.js';
import type { ExportContext } from './export-stage.js';

/** A stored file that is copied into the archive. */
export interface CopiedFile {
  readonly storageKey: string;
  /** Path in the archive, below its folder. */
  readonly path: string;
  /** Size in bytes. Null for a small file, which is read completely. */
  readonly size: number | null;
  /** Row of `records.json` that describes the file. */
  readonly record: object;
}

/**
 * Yields files as tar entries. A file that the storage has lost is left out. `onCopied` is called for each of the others,
 * with its size.
 *
 * @throws StorageFaultError if a file cannot be read
 */
export async function* copyFiles(
  context: ExportContext,
  folder: string,
  files: readonly CopiedFile[],
  onCopied: (file: CopiedFile, size: number) => void,
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
  { storage }: ExportContext,
  { storageKey, size }: CopiedFile,
): Promise<{ size: number; content: AsyncIterable<Buffer> | Iterable<Buffer> } | null> {
  try {
    if (size !== null) {
      const content = await storage.open(storageKey);
      return content && { size, content };
    }
    const content = await readStoredFile(storage, storageKey);
    return content && { size: content.length, content: [content] };
  } catch (error) {
    throw new StorageFaultError(error);
  }
}

async function* convertStorageErrors(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw new StorageFaultError(error);
  }
}

/** Yields exactly `size` bytes of a source: a damaged file must not destroy the rest of the archive. */
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
export async function getArchiveFolderName({ database, realmId, exportId }: ExportContext): Promise<string> {
  const { rows } = await database.query<{ name: string }>('SELECT string_id AS name FROM realms WHERE id = $1', [
    realmId,
  ]);
  return createArchiveName(rows[0]?.name ?? '', exportId);
}

/**
 * Returns rows as elements of a JSON list to which `before` elements were already written. The opening bracket precedes
 * the first element.
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
