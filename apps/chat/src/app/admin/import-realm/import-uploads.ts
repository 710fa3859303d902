import { stat, readFile } from 'node:fs/promises';
import { addToRealmUploadSize, getUploadStorageKey } from '../../../core/attachments/index.js';
import { getFileContentType } from '../../../features/uploads/index.js';
import { AdminError } from '../admin-error.js';
import { checkArchivePath, findArchiveFile } from './archive/archive-path.js';
import { ArchivedTableRow } from './archive/archive-row.js';
import { readJsonArrayElements } from './archive/json-elements.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';
import { readArchivedFile, readArchivedFileRecords } from './archived-files.js';

const importedAttachmentColumns = {
  id: 'int',
  realm_id: 'int',
  owner_id: 'int',
  path_id: 'text',
  file_name: 'text',
  size: 'int',
  content_type: 'text',
  image_width: 'int',
  image_height: 'int',
  created_at: 'timestamptz',
};

/** Maximum size, in bytes, of an image file whose width and height the import reads. */
const maxMeasuredImageBytes = 64 * 1024 * 1024;
const archivedAttachmentTableName = 'zerver_attachment';

/** Id, content type and image dimensions of an uploaded file, which the rendering of messages uses. */
export interface ImportedUploadedFile {
  readonly id: number;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** Uploaded files of the archive, by the path in their URLs. */
export class ImportedUploadedFilesByPath {
  readonly #files = new Map<string, ImportedUploadedFile>();

  addFile(pathId: string, file: ImportedUploadedFile): void {
    this.#files.set(pathId, file);
  }

  findFile(pathId: string): ImportedUploadedFile | undefined {
    return this.#files.get(pathId);
  }

  /** Returns the ids of all imported files. */
  fileIds(): ReadonlySet<number> {
    return new Set([...this.#files.values()].map(({ id }) => id));
  }
}

/**
 * Copies the uploaded files of the archive into the storage, and inserts a database row for each file. The files keep
 * their paths, so that links in messages remain valid.
 */
export async function importUploads(
  context: RealmImportContext,
  users: ImportedUsers,
): Promise<ImportedUploadedFilesByPath> {
  const { tx, archive, report, realmId } = context;
  const files = new ImportedUploadedFilesByPath();
  const paths = new Map<string, string>();
  for await (const record of readArchivedFileRecords(archive.folder, 'uploads')) paths.set(record.s3_path, record.path);
  let total = 0;
  for await (const rows of createAttachmentRows(archive.folder)) {
    for (const row of rows) {
      // Storing the second file would wait for a row that this transaction has locked.
      if (files.findFile(row.readText('path_id')) !== undefined)
        throw new AdminError('The archive has two files with one path.');
      const stored = users.has(row.readId('owner')) ? await storeImportedUploadedFile(context, row, paths) : null;
      if (stored === null) {
        report.addSkippedRowCount('uploaded files that the archive does not contain, or whose owner is unknown');
        continue;
      }
      await insertImportedRows(tx, 'attachments', importedAttachmentColumns, [stored]);
      const { id, content_type: contentType, image_width: width, image_height: height } = stored;
      files.addFile(stored.path_id, { id, contentType, width, height });
      total += stored.size;
      report.addImportedRowCount('uploaded files', 1);
    }
  }
  if (total > 0) await addToRealmUploadSize(tx, realmId, total);
  return files;
}

async function* createAttachmentRows(folder: string): AsyncGenerator<ArchivedTableRow[]> {
  const file = await findArchiveFile(folder, 'attachment.json');
  if (file === null) return;
  for await (const elements of readJsonArrayElements(file)) {
    const wanted = elements.filter(({ key }) => key === archivedAttachmentTableName);
    yield wanted.map(({ text }) => ArchivedTableRow.parse(archivedAttachmentTableName, text));
  }
}

async function storeImportedUploadedFile(
  context: RealmImportContext,
  row: ArchivedTableRow,
  paths: ReadonlyMap<string, string>,
) {
  const pathId = row.readText('path_id');
  const name = row.readText('file_name');
  // The path is part of a storage key and of a URL.
  if (checkArchivePath(pathId) !== pathId) throw new AdminError(`The path of the file ${row.readId()} is not valid.`);
  const file = await findArchiveFile(context.archive.folder, `uploads/${paths.get(pathId) ?? pathId}`);
  if (file === null) return null;
  const { size } = await stat(file);
  const key = getUploadStorageKey(pathId);
  const contentType = getFileContentType(row.readOptionalText('content_type') ?? '', name);
  // An import that was killed may have stored the file, because its path is that of the archive.
  await context.files.deleteNow([key]);
  await context.files.add(key, readArchivedFile(file), contentType);
  await context.files.cancelFileDeletion(context.tx, [key]);
  const isSmallImage = contentType.startsWith('image/') && size <= maxMeasuredImageBytes;
  const picture = isSmallImage ? await context.pictures.readPictureInfo(() => readFile(file)) : null;
  return {
    id: row.readId(),
    realm_id: context.realmId,
    owner_id: row.readId('owner'),
    path_id: pathId,
    file_name: name,
    size,
    content_type: contentType,
    image_width: picture?.width ?? null,
    image_height: picture?.height ?? null,
    created_at: row.readTime('create_time'),
  };
}

/** Links the uploaded files to the messages that contain them. Requires that the messages have been inserted. */
export async function importUploadLinks(
  { tx, archive }: RealmImportContext,
  files: ImportedUploadedFilesByPath,
): Promise<void> {
  const known = files.fileIds();
  for await (const rows of createAttachmentRows(archive.folder)) {
    const links = rows
      .filter((row) => known.has(row.readId()))
      .flatMap((row) => row.readMessageIds('messages').map((messageId) => [row.readId(), messageId] as const));
    await tx.query(
      `INSERT INTO attachment_messages (attachment_id, message_id)
       SELECT sent.attachment_id, m.id FROM unnest($1::int[], $2::bigint[]) AS sent(attachment_id, message_id)
       JOIN messages m ON m.id = sent.message_id ON CONFLICT DO NOTHING`,
      [links.map(([id]) => id), links.map(([, messageId]) => messageId)],
    );
  }
}
