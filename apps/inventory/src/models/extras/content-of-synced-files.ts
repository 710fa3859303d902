import type { Tx } from '@switchboard/database';
import type { ObjectToFill, ModelFillResult, ValidationMessages } from '../../engine/declaration/define-model.js';
import { InputProblem } from '../../engine/write/invalid-input-problem.js';
import { parseStructuredText } from './parse-structured-text.js';

/** Field of a model that contains the content of a data file. */
interface SyncedField {
  readonly field: 'data' | 'schema' | 'template_code';
  /**
   * Validates the parsed content of the file, and throws an `InputProblem` if it is invalid. Without this function, the
   * field stores the file's text unparsed.
   */
  readonly check?: (value: unknown) => void;
}

/** Parsed content of a data file, or the errors why an object cannot copy it. */
type ParsedFileContent = { readonly value: unknown } | { readonly problems: ValidationMessages };

/** Row of a data file, read without the file's content. */
interface StoredFile {
  readonly id: number;
  readonly sourceId: number;
  readonly path: string;
  readonly size: number;
}

/** Maximum size of a data file that objects can copy, in bytes. It equals the maximum size of a request body. */
const maxFileBytes = 2_621_440;

/** Maximum size of the content that one request, or one synchronization, copies to all objects together, in bytes. */
export const maxCopiedBytes = 16_777_216;

/** SQL types of the columns of synchronized objects that clients cannot write, by name. */
export const syncedColumnTypes = { data_path: 'text', data_synced: 'timestamptz' };

/**
 * Creates the hook that copies content from data files. An object with a file gets the file's content, source and path,
 * unless the body of an update contains other content. An update that removes the file also removes source and path.
 */
export function createFileFillHook({ field, check }: SyncedField) {
  return async (tx: Tx, objects: readonly ObjectToFill[]): Promise<readonly ModelFillResult[]> => {
    const ids = objects.flatMap(({ row }) => (typeof row['data_file'] === 'number' ? [row['data_file']] : []));
    const files = ids.length === 0 ? new Map<number, StoredFile>() : await lockDataFileRows(tx, ids);
    const bound = objects.map((object) => {
      const file = files.get(Number(object.row['data_file'] ?? 0));
      const isCopied = file !== undefined && (object.previous === null || !Object.hasOwn(object.sent, field));
      return { object, file, isCopied };
    });
    const copied = bound.flatMap(({ file, isCopied }) => (isCopied && file !== undefined ? [file] : []));
    const isTooMuch = copied.reduce((sum, { size }) => sum + size, 0) > maxCopiedBytes;
    const contents = await parseSyncedFiles(tx, isTooMuch ? [] : copied, check);
    return bound.map(({ object, file, isCopied }) => {
      if (file === undefined) return clearedFileColumns(object);
      const synced = { data_source: file.sourceId, data_path: file.path, data_synced: new Date().toISOString() };
      if (!isCopied) return { values: synced };
      const content = contents.get(file.id);
      if (content === undefined)
        return createRejectedContentProblem(`The files of all objects have more than ${maxCopiedBytes} bytes.`);
      return 'problems' in content ? content : { values: { ...synced, [field]: content.value } };
    });
  };
}

/** Returns the parsed contents of data files by id. The event loop runs between files. */
async function parseSyncedFiles(
  tx: Tx,
  files: readonly StoredFile[],
  check: SyncedField['check'],
): Promise<ReadonlyMap<number, ParsedFileContent>> {
  const texts = await readFileContents(tx, files);
  const contents = new Map<number, ParsedFileContent>();
  for (const file of files) {
    if (contents.has(file.id)) continue;
    await new Promise((resolve) => setImmediate(resolve));
    contents.set(file.id, await parseSyncedContent(file, texts.get(file.id), check));
  }
  return contents;
}

/** Locks data files against deletion by other transactions, and returns their rows by id. */
async function lockDataFileRows(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, StoredFile>> {
  const { rows } = await tx.query<StoredFile>(
    `SELECT id, source_id AS "sourceId", path, size FROM core_datafile
      WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the contents of data files in base64, by file id. Files that are too large are omitted. */
async function readFileContents(tx: Tx, files: readonly StoredFile[]): Promise<ReadonlyMap<number, string>> {
  const ids = files.filter(({ size }) => size <= maxFileBytes).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<{ id: number; content: string }>(
    `SELECT id, encode(data, 'base64') AS content FROM core_datafile WHERE id = ANY ($1::bigint[])`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}

function clearedFileColumns({ sent, row, previous }: ObjectToFill): ModelFillResult {
  if (row['auto_sync_enabled'] === true && sent['auto_sync_enabled'] === true) {
    return { problems: { auto_sync_enabled: ['Automatic synchronization needs a data file.'] } };
  }
  if (previous === null || !Object.hasOwn(sent, 'data_file')) return {};
  const values = {
    data_path: '',
    data_synced: null,
    ...(Object.hasOwn(sent, 'data_source') ? {} : { data_source: null }),
    ...(Object.hasOwn(row, 'auto_sync_enabled') ? { auto_sync_enabled: false } : {}),
  };
  return { values };
}

function createRejectedContentProblem(message: string): { readonly problems: ValidationMessages } {
  return { problems: { data_file: [message] } };
}

async function parseSyncedContent(
  { path }: StoredFile,
  content: string | undefined,
  check: SyncedField['check'],
): Promise<ParsedFileContent> {
  if (content === undefined)
    return createRejectedContentProblem(`${path}: The file has more than ${maxFileBytes} bytes.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return createRejectedContentProblem(`${path}: The file is not text in UTF-8.`);
  }
  if (text.includes('\0')) return createRejectedContentProblem(`${path}: The file contains null characters.`);
  if (check === undefined) return { value: text };
  const parsed = await parseStructuredText(text);
  if ('error' in parsed) return createRejectedContentProblem(`${path}: ${parsed.error}`);
  try {
    check(parsed.value);
    return parsed;
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    return createRejectedContentProblem(`${path}: ${[error.messages].flat(2).map(String).join(' ')}`);
  }
}
