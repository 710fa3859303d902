import { stat, readFile } from 'node:fs/promises';
import { changeUploadTotal, getUploadStorageKey } from '../../../core/attachments/index.js';
import { getFileContentType } from '../../../features/uploads/index.js';
import { AdminError } from '../admin-error.js';
import { archivePath, findArchiveFile } from './archive/archive-path.js';
import { ArchiveRow } from './archive/archive-row.js';
import { readJsonElements } from './archive/json-elements.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';
import { readArchivedFile, readFileRecords } from './archived-files.js';

const attachmentColumns = {
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
const maxImageBytes = 64 * 1024 * 1024;
const attachmentTableName = 'zerver_attachment';

/** Id, content type and image dimensions of an uploaded file, which the rendering of messages uses. */
export interface ImportedFile {
  readonly id: number;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** Uploaded files of the archive, by the path in their URLs. */
export class ImportedFiles {
  readonly #files = new Map<string, ImportedFile>();

  add(pathId: string, file: ImportedFile): void {
    this.#files.set(pathId, file);
  }

  find(pathId: string): ImportedFile | undefined {
    return this.#files.get(pathId);
  }

  /** Returns the ids of all imported files. */
  ids(): ReadonlySet<number> {
    return new Set([...this.#files.values()].map(({ id }) => id));
  }
}

/**
 * Copies the uploaded files of the archive into the storage, and inserts a database row for each file. The files keep
 * their paths, so that links in messages remain valid.
 */
export async function importUploads(context: ImportContext, users: ImportedUsers): Promise<ImportedFiles> {
  const { tx, archive, report, realmId } = context;
  const files = new ImportedFiles();
  const paths = new Map<string, string>();
  for await (const record of readFileRecords(archive.folder, 'uploads')) paths.set(record.s3_path, record.path);
  let total = 0;
  for await (const rows of createAttachmentRows(archive.folder)) {
    for (const row of rows) {
      // Storing the second file would wait for a row that this transaction has locked.
      if (files.find(row.text('path_id')) !== undefined)
        throw new AdminError('The archive has two files with one path.');
      const stored = users.has(row.id('owner')) ? await storeImportedUpload(context, row, paths) : null;
      if (stored === null) {
        report.addSkipped('uploaded files that the archive does not contain, or whose owner is unknown');
        continue;
      }
      await insertRows(tx, 'attachments', attachmentColumns, [stored]);
      const { id, content_type: contentType, image_width: width, image_height: height } = stored;
      files.add(stored.path_id, { id, contentType, width, height });
      total += stored.size;
      report.addImported('uploaded files', 1);
    }
  }
  if (total > 0) await changeUploadTotal(tx, realmId, total);
  return files;
}

async function* createAttachmentRows(folder: string): AsyncGenerator<ArchiveRow[]> {
  const file = await findArchiveFile(folder, 'attachment.json');
  if (file === null) return;
  for await (const elements of readJsonElements(file)) {
    const wanted = elements.filter(({ key }) => key === attachmentTableName);
    yield wanted.map(({ text }) => ArchiveRow.parse(attachmentTableName, text));
  }
}

async function storeImportedUpload(context: ImportContext, row: ArchiveRow, paths: ReadonlyMap<string, string>) {
  const pathId = row.text('path_id');
  const name = row.text('file_name');
  // The path is part of a storage key and of a URL.
  if (archivePath(pathId) !== pathId) throw new AdminError(`The path of the file ${row.id()} is not valid.`);
  const file = await findArchiveFile(context.archive.folder, `uploads/${paths.get(pathId) ?? pathId}`);
  if (file === null) return null;
  const { size } = await stat(file);
  const key = getUploadStorageKey(pathId);
  const contentType = getFileContentType(row.optionalText('content_type') ?? '', name);
  // An import that was killed may have stored the file, because its path is that of the archive.
  await context.files.deleteNow([key]);
  await context.files.add(key, readArchivedFile(file), contentType);
  await context.files.cancelDeletion(context.tx, [key]);
  const isSmallImage = contentType.startsWith('image/') && size <= maxImageBytes;
  const picture = isSmallImage ? await context.pictures.readPictureInfo(() => readFile(file)) : null;
  return {
    id: row.id(),
    realm_id: context.realmId,
    owner_id: row.id('owner'),
    path_id: pathId,
    file_name: name,
    size,
    content_type: contentType,
    image_width: picture?.width ?? null,
    image_height: picture?.height ?? null,
    created_at: row.time('create_time'),
  };
}

/** Links the uploaded files to the messages that contain them. Requires that the messages have been inserted. */
export async function importUploadLinks({ tx, archive }: ImportContext, files: ImportedFiles): Promise<void> {
  const known = files.ids();
  for await (const rows of createAttachmentRows(archive.folder)) {
    const links = rows
      .filter((row) => known.has(row.id()))
      .flatMap((row) => row.messageIds('messages').map((messageId) => [row.id(), messageId] as const));
    await tx.query(
      `INSERT INTO attachment_messages (attachment_id, message_id)
       SELECT sent.attachment_id, m.id FROM unnest($1::int[], $2::bigint[]) AS sent(attachment_id, message_id)
       JOIN messages m ON m.id = sent.message_id ON CONFLICT DO NOTHING`,
      [links.map(([id]) => id), links.map(([, messageId]) => messageId)],
    );
  }
}
