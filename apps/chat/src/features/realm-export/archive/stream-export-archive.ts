import { gzipSync } from 'node:zlib';
import type { Database } from '@switchboard/database';
import type { FileStorage } from '../../../infra/storage/index.js';
import { tarEndBlocks, createTarHeader, createTarPadding } from './create-tar-entry.js';

/** Maximum number of stored parts of an export archive that one SQL statement lists. */
const archivePartsPerPage = 500;

/** Folder name, file date and export id of an export archive. */
export interface ArchiveIdentity {
  readonly exportId: number;
  /** Name of the archive's only top-level folder. */
  readonly folder: string;
  /** Modification time of all files in the archive, in UNIX seconds. */
  readonly modifiedAt: number;
}

interface ArchivePartRow {
  entry: number;
  piece: number;
  name: string | null;
  size: number;
  key: string;
  is_first: boolean;
  is_last: boolean;
  entry_size: number;
}

/**
 * Yields the bytes of an export archive. Each stored part is a member of the gzip file. This function adds the tar
 * headers and padding, because a file's size is known only when all parts of the file are stored.
 *
 * @throws Error if the export is deleted during the download, so that the client does not mistake a truncated archive
 * for a complete archive
 */
export async function* readExportArchiveBytes(
  { database, storage }: { readonly database: Database; readonly storage: Pick<FileStorage, 'open'> },
  { exportId, folder, modifiedAt }: ArchiveIdentity,
): AsyncGenerator<Buffer> {
  for await (const part of listArchiveParts(database, exportId)) {
    if (part.name !== null && part.is_first) {
      yield toGzipMember(createTarHeader({ name: `${folder}/${part.name}`, size: part.entry_size, modifiedAt }));
    }
    // The file is opened last: a reader that stops at a header would leave it open.
    const content = await storage.open(part.key);
    if (content === null) throw new Error(`The file ${part.key} of export ${exportId} is missing`);
    for await (const chunk of content) yield Buffer.from(chunk);
    if (part.name !== null && part.is_last && createTarPadding(part.entry_size).length > 0) {
      yield toGzipMember(createTarPadding(part.entry_size));
    }
  }
  yield toGzipMember(tarEndBlocks());
}

const toGzipMember = (block: Buffer): Buffer => gzipSync(block, { level: 1 });

async function* listArchiveParts(database: Database, exportId: number): AsyncGenerator<ArchivePartRow> {
  const { rows: counted } = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM realm_export_parts WHERE export_id = $1',
    [exportId],
  );
  let left = counted[0]?.count ?? 0;
  let [entry, piece] = [-1, -1];
  while (left > 0) {
    const { rows } = await database.query<ArchivePartRow>(listArchivePartsSql, [exportId, entry, piece]);
    yield* rows;
    left -= rows.length;
    const last = rows.at(-1);
    if (last === undefined) throw new Error(`Export ${exportId} was deleted while it was read`);
    [entry, piece] = [last.entry, last.piece];
  }
}

const listArchivePartsSql = `
  SELECT p.entry, p.piece, p.name, p.size, p.key, whole.first = p.piece AS is_first, whole.last = p.piece AS is_last,
    whole.size AS entry_size
  FROM (SELECT * FROM realm_export_parts WHERE export_id = $1 AND (entry, piece) > ($2, $3)
        ORDER BY entry, piece LIMIT ${archivePartsPerPage}) p
  CROSS JOIN LATERAL (
    SELECT min(o.piece) AS first, max(o.piece) AS last, sum(o.size)::bigint AS size
    FROM realm_export_parts o WHERE o.export_id = $1 AND o.entry = p.entry) whole
  ORDER BY p.entry, p.piece`;
