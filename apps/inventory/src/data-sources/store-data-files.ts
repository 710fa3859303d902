import type { Tx } from '@switchboard/database';
import { lockDataFiles } from '../database-locks.js';
import type { ChangedSourceFile, FileDifferences } from './compare-source-files.js';
import { type UpdateCopiesOptions, clearFileReferences, copyChangedFilesToObjects } from './update-file-copies.js';

/**
 * Maximum total size in bytes of the files that one SQL statement stores. A larger file is stored by a separate
 * statement.
 */
const fileBytesPerSqlStatement = 4 * 1024 * 1024;

/** Maximum number of data source files that one SQL statement stores. */
const filesPerSqlStatement = 1000;

// Contents are base64 texts, because binary values in arrays would be twice as long.
const upsertDataFilesSql = `INSERT INTO core_datafile AS f (source_id, path, hash, size, data)
  SELECT $1, n.path, n.hash, octet_length(n.data), n.data
    FROM (SELECT path, hash, decode(content, 'base64') AS data, ordinal
      FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS u (path, hash, content, ordinal)) n
   ORDER BY n.ordinal
  ON CONFLICT (source_id, path) DO UPDATE SET hash = EXCLUDED.hash, size = EXCLUDED.size, data = EXCLUDED.data,
    last_updated = statement_timestamp()`;

/** Returns a map from the paths of a data source's stored files to the SHA-256 digests of the files. */
export async function readFileHashesByPath(database: Tx, sourceId: number): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ path: string; hash: string }>(
    'SELECT path, hash FROM core_datafile WHERE source_id = $1',
    [sourceId],
  );
  return new Map(rows.map(({ path, hash }) => [path, hash]));
}

/**
 * Stores new and changed files, and deletes removed ones. The data source must be locked. Objects that copy a changed
 * file automatically are updated; objects that refer to a removed file lose the reference.
 *
 * @throws SyncError if a file does not suit an object
 */
export async function storeDataFiles(
  tx: Tx,
  sourceId: number,
  { changed, removed }: FileDifferences,
  parts: UpdateCopiesOptions,
): Promise<void> {
  if (removed.length > 0) await deleteDataFiles(tx, sourceId, removed, parts);
  for (const files of groupFilesByStatement(changed)) {
    await tx.query(upsertDataFilesSql, [
      sourceId,
      files.map(({ path }) => path),
      files.map(({ hash }) => hash),
      files.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')),
    ]);
  }
  const paths = changed.map(({ path }) => path);
  if (paths.length > 0) await copyChangedFilesToObjects(tx, { sourceId, paths }, parts);
}

async function deleteDataFiles(
  tx: Tx,
  sourceId: number,
  paths: readonly string[],
  parts: UpdateCopiesOptions,
): Promise<void> {
  const ids = await lockDataFiles(tx, sourceId, paths);
  await clearFileReferences(tx, ids, parts);
  await tx.query('DELETE FROM core_datafile WHERE id = ANY ($1::bigint[])', [ids]);
}

/** Splits a list of files into groups. One SQL statement can store the files of one group. */
function* groupFilesByStatement(files: readonly ChangedSourceFile[]): Generator<readonly ChangedSourceFile[]> {
  let [from, bytes] = [0, 0];
  for (const [index, { data }] of files.entries()) {
    if (index > from && (bytes + data.length > fileBytesPerSqlStatement || index - from >= filesPerSqlStatement)) {
      yield files.slice(from, index);
      [from, bytes] = [index, 0];
    }
    bytes += data.length;
  }
  if (from < files.length) yield files.slice(from);
}
