import { createUploadFolderSql, getUploadStorageKey } from '../../../core/attachments/index.js';
import { createUnixSecondsSql, publiclyShownEmailSql } from '../tables/export-sql-expressions.js';
import { archiveEntryNumbers, type RealmExportContext, type ExportStage } from './export-stage.js';
import { copyFilesToTarEntries, getArchiveFolderName, formatJsonListElements } from './copy-exported-files.js';

/** Maximum number of uploaded files that one export step examines. */
const uploadsPerStep = 200;

/** Total size of the copied files, in bytes, after which an export step ends. */
const uploadBytesPerStep = 64 * 1024 * 1024;

/** An uploaded file, with the ids of the exported messages that link to the file. */
interface ExportedUploadRow {
  readonly id: number;
  readonly path_id: string;
  readonly size: number;
  readonly content_type: string;
  readonly owner_id: number;
  readonly owner_email: string;
  readonly file_name: string;
  readonly created: number;
  readonly messages: readonly number[];
  readonly scheduled: readonly number[];
}

/**
 * SQL that selects a page of uploaded files with the exported messages that link to the files. Each message is looked
 * up in the one message file that may contain the message.
 */
const exportedUploadsPageSql = `
  SELECT a.id, a.path_id, a.size, a.content_type, a.owner_id, ${publiclyShownEmailSql} AS owner_email, a.file_name,
    ${createUnixSecondsSql('a.created_at')} AS created,
    coalesce((SELECT json_agg(am.message_id ORDER BY am.message_id) FROM attachment_messages am
      WHERE am.attachment_id = a.id AND EXISTS (
        SELECT FROM (
          SELECT p.message_ids FROM realm_export_parts p
          WHERE p.export_id = $2 AND p.last_message_id >= am.message_id ORDER BY p.last_message_id LIMIT 1) page
        WHERE am.message_id = ANY(page.message_ids))), '[]') AS messages,
    coalesce((SELECT json_agg(s.id ORDER BY s.id) FROM scheduled_messages s
      WHERE s.user_id = a.owner_id AND s.user_id = ANY($3::int[])
        AND position('/user_uploads/' || ${createUploadFolderSql('a')} IN s.content) > 0), '[]') AS scheduled
  FROM (SELECT * FROM attachments WHERE realm_id = $1 AND id > $4 ORDER BY id LIMIT ${uploadsPerStep}) a
  JOIN users u ON u.id = a.owner_id JOIN realms realm ON realm.id = u.realm_id ORDER BY a.id`;

/**
 * Export stage that copies the uploaded files to which exported messages link, with their records and the table of
 * attachments. Files that are missing from the storage are omitted.
 */
export const uploadsExportStage: ExportStage = {
  async run(context, cursor) {
    const { afterId } = (cursor ?? { afterId: 0 }) as { afterId: number };
    const { rows, next } = await readUploadsPage(context, afterId);
    const linked = rows.filter(({ messages, scheduled }) => messages.length > 0 || scheduled.length > 0);
    const files = linked.map((row) => ({
      storageKey: getUploadStorageKey(row.path_id),
      path: `uploads/${row.path_id}`,
      size: row.size,
      record: toUploadRecord(context.realmId, row),
      row,
    }));
    const copied: ExportedUploadRow[] = [];
    const byKey = new Map(files.map((file) => [file.storageKey, file.row]));
    const content = copyFilesToTarEntries(context, await getArchiveFolderName(context), files, ({ storageKey }) => {
      const row = byKey.get(storageKey);
      if (row !== undefined) copied.push(row);
    });
    const stored = await context.parts.write(archiveEntryNumbers.uploadFiles, null, content);
    const before = context.counts['uploads_records'] ?? 0;
    const write = (entry: number, name: string, list: readonly object[], opening: string, closing: string) => {
      const elements = formatJsonListElements(list, before, cursor === null, opening) + (next === null ? closing : '');
      return context.parts.write(entry, name, [elements]);
    };
    const records = copied.map((row) => toUploadRecord(context.realmId, row));
    const attachments = copied.map((row) => toExportedAttachmentRow(context.realmId, row));
    return {
      parts: [
        stored,
        await write(archiveEntryNumbers.uploadRecords, 'uploads/records.json', records, '[', ']'),
        await write(archiveEntryNumbers.attachments, 'attachment.json', attachments, '{"zerver_attachment":[', ']}'),
      ],
      cursor: next === null ? null : { afterId: next },
      counts: { uploads_records: before + copied.length, zerver_attachment: before + copied.length },
    };
  },
};

/** Reads the rows of the next uploaded files, up to the maximum number or total size of an export step. */
async function readUploadsPage(
  { database, realmId, exportId, consentingIds }: RealmExportContext,
  afterId: number,
): Promise<{ rows: readonly ExportedUploadRow[]; next: number | null }> {
  const { rows } = await database.query<ExportedUploadRow>(exportedUploadsPageSql, [
    realmId,
    exportId,
    consentingIds,
    afterId,
  ]);
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.size) > uploadBytesPerStep);
  const page = end === -1 ? rows : rows.slice(0, end + 1);
  const isLast = page.length === rows.length && rows.length < uploadsPerStep;
  return { rows: page, next: isLast ? null : (page.at(-1)?.id ?? null) };
}

function toUploadRecord(realmId: number, row: ExportedUploadRow): object {
  return {
    realm_id: realmId,
    user_profile_id: row.owner_id,
    user_profile_email: row.owner_email,
    s3_path: row.path_id,
    path: row.path_id,
    size: row.size,
    last_modified: row.created,
    content_type: row.content_type,
  };
}

function toExportedAttachmentRow(realmId: number, row: ExportedUploadRow): object {
  return {
    id: row.id,
    realm: realmId,
    owner: row.owner_id,
    file_name: row.file_name,
    path_id: row.path_id,
    create_time: row.created,
    size: row.size,
    content_type: row.content_type,
    // Null lets the reference compute who may read the file.
    is_realm_public: null,
    is_web_public: null,
    messages: row.messages,
    scheduled_messages: row.scheduled,
  };
}
