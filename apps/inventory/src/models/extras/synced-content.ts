import type { Tx } from '@switchboard/database';
import type { FillableObject, Filling, Problems } from '../../engine/declaration/model.js';
import { InputProblem } from '../../engine/write/input-problem.js';
import { parseStructuredText } from './structured-text.js';

/** Field that contains the content of a data file. */
interface SyncedField {
  readonly field: 'data' | 'schema' | 'template_code';
  /** Checks the parsed content, which is otherwise the text itself. Throws an `InputProblem` if it is invalid. */
  readonly check?: (value: unknown) => void;
}

/** A data file with its content in base64. */
interface StoredFile {
  readonly id: number;
  readonly sourceId: number;
  readonly path: string;
  readonly content: string;
}

/** Columns of synchronized objects that no body sets, with their SQL types. */
export const syncedColumns = { data_path: 'text', data_synced: 'timestamptz' };

/**
 * Creates the hook that copies content from data files. An object with a file gets its content, source and path, unless
 * the body of an update contains other content. An update that removes the file also removes the rest of the reference.
 */
export function fillFromFile({ field, check }: SyncedField) {
  return async (tx: Tx, objects: readonly FillableObject[]): Promise<readonly Filling[]> => {
    const ids = objects.flatMap(({ row }) => (typeof row['data_file'] === 'number' ? [row['data_file']] : []));
    const files = ids.length === 0 ? new Map<number, StoredFile>() : await readFiles(tx, ids);
    return objects.map((object) => {
      const file = files.get(Number(object.row['data_file'] ?? 0));
      if (file === undefined) return withoutFile(object);
      const synced = { data_source: file.sourceId, data_path: file.path, data_synced: new Date().toISOString() };
      if (object.previous !== null && Object.hasOwn(object.sent, field)) return { values: synced };
      const content = contentOf(file, check);
      return 'problems' in content ? content : { values: { ...synced, [field]: content.value } };
    });
  };
}

/** Reads files, which are locked so that they are not deleted meanwhile. */
async function readFiles(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, StoredFile>> {
  const { rows } = await tx.query<StoredFile>(
    `SELECT id, source_id AS "sourceId", path, encode(data, 'base64') AS content FROM core_datafile
      WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function withoutFile({ sent, row, previous }: FillableObject): Filling {
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

function contentOf(
  { content, path }: StoredFile,
  check: SyncedField['check'],
): { readonly value: unknown } | { readonly problems: Problems } {
  const refused = (text: string): { readonly problems: Problems } => ({
    problems: { data_file: [`${path}: ${text}`] },
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return refused('The file is not text in UTF-8.');
  }
  if (text.includes('\0')) return refused('The file contains null characters.');
  if (check === undefined) return { value: text };
  const parsed = parseStructuredText(text);
  if ('error' in parsed) return refused(parsed.error);
  try {
    check(parsed.value);
    return parsed;
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    return refused([error.messages].flat(2).map(String).join(' '));
  }
}
