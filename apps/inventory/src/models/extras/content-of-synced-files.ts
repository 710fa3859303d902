import type { Tx } from '@switchboard/database';
import type {
  ObjectToCompleteBeforeValidation,
  ComputedValuesOrErrors,
  ValidationMessagesByField,
} from '../../engine/declaration/define-model.js';
import { InputProblem } from '../../engine/write/invalid-input-problem.js';
import { parseStructuredText } from './parse-structured-text.js';

/** Field of a model into which the content of a data file is copied. */
interface SyncedFileContentField {
  readonly field: 'data' | 'schema' | 'template_code';
  /**
   * Validates the parsed content of a data file, and throws an `InputProblem` if the content is invalid. Without this
   * function, the field stores the text of the file unparsed.
   */
  readonly check?: (value: unknown) => void;
}

/** Parsed content of a data file, or the error messages that explain why an object cannot copy the content. */
type ParsedDataFileContent = { readonly value: unknown } | { readonly problems: ValidationMessagesByField };

/** Database row of a data file, without the content of the file. */
interface StoredDataFileRow {
  readonly id: number;
  readonly sourceId: number;
  readonly path: string;
  readonly size: number;
}

/**
 * Maximum size, in bytes, of a data file whose content objects can copy. The limit equals the maximum size of a request
 * body.
 */
const maxDataFileBytes = 2_621_440;

/**
 * Maximum total size, in bytes, of the content that one request or one synchronization copies from data files to
 * objects.
 */
export const maxCopiedDataFileBytes = 16_777_216;

/**
 * SQL types, by column name, of columns that clients cannot write. The columns belong to objects that copy the content
 * of a data file.
 */
export const syncedFileColumnTypes = { data_path: 'text', data_synced: 'timestamptz' };

/**
 * Creates the function that a model calls before each write to copy content from data files. An object with a data file
 * gets the content, source and path of the file. An update whose request body contains other content does not copy the
 * file's content. An update that removes the data file also removes the source and path.
 */
export function createDataFileCopyHook({ field, check }: SyncedFileContentField) {
  return async (
    tx: Tx,
    objects: readonly ObjectToCompleteBeforeValidation[],
  ): Promise<readonly ComputedValuesOrErrors[]> => {
    const ids = objects.flatMap(({ row }) => (typeof row['data_file'] === 'number' ? [row['data_file']] : []));
    const files = ids.length === 0 ? new Map<number, StoredDataFileRow>() : await lockDataFileRows(tx, ids);
    const bound = objects.map((object) => {
      const file = files.get(Number(object.row['data_file'] ?? 0));
      const isCopied = file !== undefined && (object.previous === null || !Object.hasOwn(object.sent, field));
      return { object, file, isCopied };
    });
    const copied = bound.flatMap(({ file, isCopied }) => (isCopied && file !== undefined ? [file] : []));
    const isTooMuch = copied.reduce((sum, { size }) => sum + size, 0) > maxCopiedDataFileBytes;
    const contents = await parseSyncedDataFiles(tx, isTooMuch ? [] : copied, check);
    return bound.map(({ object, file, isCopied }) => {
      if (file === undefined) return getClearedDataFileColumns(object);
      const synced = { data_source: file.sourceId, data_path: file.path, data_synced: new Date().toISOString() };
      if (!isCopied) return { values: synced };
      const content = contents.get(file.id);
      if (content === undefined)
        return createRejectedContentProblem(`The files of all objects have more than ${maxCopiedDataFileBytes} bytes.`);
      return 'problems' in content ? content : { values: { ...synced, [field]: content.value } };
    });
  };
}

/** Returns the parsed contents of data files, by file id. The event loop runs other work between two files. */
async function parseSyncedDataFiles(
  tx: Tx,
  files: readonly StoredDataFileRow[],
  check: SyncedFileContentField['check'],
): Promise<ReadonlyMap<number, ParsedDataFileContent>> {
  const texts = await readDataFileContents(tx, files);
  const contents = new Map<number, ParsedDataFileContent>();
  for (const file of files) {
    if (contents.has(file.id)) continue;
    await new Promise((resolve) => setImmediate(resolve));
    contents.set(file.id, await parseDataFileContent(file, texts.get(file.id), check));
  }
  return contents;
}

/** Locks the rows of data files, so that other transactions cannot delete the files. Returns the rows by file id. */
async function lockDataFileRows(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, StoredDataFileRow>> {
  const { rows } = await tx.query<StoredDataFileRow>(
    `SELECT id, source_id AS "sourceId", path, size FROM core_datafile
      WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the contents of data files as base64 text, by file id. Omits files that exceed the maximum size. */
async function readDataFileContents(tx: Tx, files: readonly StoredDataFileRow[]): Promise<ReadonlyMap<number, string>> {
  const ids = files.filter(({ size }) => size <= maxDataFileBytes).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<{ id: number; content: string }>(
    `SELECT id, encode(data, 'base64') AS content FROM core_datafile WHERE id = ANY ($1::bigint[])`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}

function getClearedDataFileColumns({ sent, row, previous }: ObjectToCompleteBeforeValidation): ComputedValuesOrErrors {
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

function createRejectedContentProblem(message: string): { readonly problems: ValidationMessagesByField } {
  return { problems: { data_file: [message] } };
}

async function parseDataFileContent(
  { path }: StoredDataFileRow,
  content: string | undefined,
  check: SyncedFileContentField['check'],
): Promise<ParsedDataFileContent> {
  if (content === undefined)
    return createRejectedContentProblem(`${path}: The file has more than ${maxDataFileBytes} bytes.`);
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
