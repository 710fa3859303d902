import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { selectAccessibleMessageClauses, NumberedSqlParameters } from '../../core/messages/index.js';

/** An uploaded file that the requesting user may read. */
export interface ReadableUploadedFile {
  readonly id: number;
  readonly pathId: string;
  readonly fileName: string;
  /** Size of the uploaded file in bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly isPicture: boolean;
}

interface FileRow {
  id: number;
  path_id: string;
  file_name: string;
  size: number;
  content_type: string;
  is_picture: boolean;
}

/**
 * Finds an uploaded file by path. The file is readable for its owner, and for users who can read a message that links
 * to the file (docs/contract/chat.md 5.2). Runs one statement. Returns null if the file does not exist or the user may
 * not read it.
 */
export async function findReadableFile(
  tx: SqlQueryRunner,
  actor: ChatActor,
  pathId: string,
): Promise<ReadableUploadedFile | null> {
  const parameters = new NumberedSqlParameters();
  const { from, where } = selectAccessibleMessageClauses(actor, parameters);
  const { rows } = await tx.query<FileRow>(
    `SELECT a.id, a.path_id, a.file_name, a.size, a.content_type, a.image_width IS NOT NULL AS is_picture
     FROM attachments a
     WHERE a.path_id = ${parameters.addValue(pathId)} AND a.realm_id = ${parameters.addValue(actor.realmId)}
       AND (a.owner_id = ${parameters.addValue(actor.id)} OR EXISTS (
         SELECT 1 FROM ${from} WHERE ${where}
           AND m.id IN (SELECT am.message_id FROM attachment_messages am WHERE am.attachment_id = a.id)))`,
    parameters.values,
  );
  return convertToReadableUploadedFile(rows[0]);
}

/** Returns the uploaded file with the given id, without a permission check. */
export async function getFileById(tx: SqlQueryRunner, id: number): Promise<ReadableUploadedFile | null> {
  const { rows } = await tx.query<FileRow>(
    `SELECT id, path_id, file_name, size, content_type, image_width IS NOT NULL AS is_picture
     FROM attachments WHERE id = $1`,
    [id],
  );
  return convertToReadableUploadedFile(rows[0]);
}

/** Returns true if the actor has uploaded an image with this path. */
export async function isImageUploadedByActor(tx: SqlQueryRunner, actor: ChatActor, pathId: string): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT 1 FROM attachments WHERE path_id = $1 AND owner_id = $2 AND image_width IS NOT NULL',
    [pathId, actor.id],
  );
  return rows.length > 0;
}

function convertToReadableUploadedFile(row: FileRow | undefined): ReadableUploadedFile | null {
  if (row === undefined) return null;
  return {
    id: row.id,
    pathId: row.path_id,
    fileName: row.file_name,
    size: row.size,
    contentType: row.content_type,
    isPicture: row.is_picture,
  };
}
