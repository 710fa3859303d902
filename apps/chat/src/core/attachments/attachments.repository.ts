import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { attachmentJsonSql, type WireAttachment } from './wire-attachment.js';

/** An uploaded file whose content is already stored, and for which a row of `attachments` will be inserted. */
export interface NewAttachment {
  readonly realmId: number;
  readonly ownerId: number;
  readonly pathId: string;
  readonly fileName: string;
  /** Size of the uploaded file in bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Width and height of the uploaded picture in pixels; null if the file is not a picture. */
  readonly image: { readonly width: number; readonly height: number } | null;
}

/** Inserts the row of an uploaded file. Returns the file in the JSON form of the API. */
export async function addAttachment(tx: Tx, added: NewAttachment): Promise<WireAttachment> {
  const { rows } = await tx.query<{ attachment: WireAttachment }>(
    `INSERT INTO attachments AS a
       (realm_id, owner_id, path_id, file_name, size, content_type, image_width, image_height)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${attachmentJsonSql} AS attachment`,
    [
      added.realmId,
      added.ownerId,
      added.pathId,
      added.fileName,
      added.size,
      added.contentType,
      added.image?.width ?? null,
      added.image?.height ?? null,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.attachment;
}

/**
 * Adds a number of bytes, which may be negative, to the total size of a realm's uploaded files.
 *
 * @returns the new total in bytes
 */
export async function addToRealmUploadSize(tx: Tx, realmId: number, bytes: number): Promise<number> {
  const { rows } = await tx.query<{ bytes: number }>(
    `INSERT INTO upload_totals AS total (realm_id, bytes) VALUES ($1, $2)
     ON CONFLICT (realm_id) DO UPDATE SET bytes = total.bytes + excluded.bytes RETURNING bytes`,
    [realmId, bytes],
  );
  return rows[0]?.bytes ?? 0;
}

/** Returns the total size of a realm's uploaded files, in bytes. */
export async function getRealmUploadSizeBytes(tx: SqlQueryRunner, realmId: number): Promise<number> {
  const { rows } = await tx.query<{ bytes: number }>('SELECT bytes FROM upload_totals WHERE realm_id = $1', [realmId]);
  return rows[0]?.bytes ?? 0;
}

/** Lists the uploaded files of a user, newest first. */
export async function listAttachments(tx: SqlQueryRunner, ownerId: number): Promise<WireAttachment[]> {
  const { rows } = await tx.query<{ attachment: WireAttachment }>(
    `SELECT ${attachmentJsonSql} AS attachment FROM attachments a WHERE a.owner_id = $1 ORDER BY a.id DESC`,
    [ownerId],
  );
  return rows.map(({ attachment }) => attachment);
}

/**
 * Deletes the row of a user's uploaded file.
 *
 * @returns the deleted row; null if the user has no file with this id
 */
export async function removeAttachment(
  tx: Tx,
  ownerId: number,
  id: number,
): Promise<{ pathId: string; size: number } | null> {
  const { rows } = await tx.query<{ path_id: string; size: number }>(
    'DELETE FROM attachments WHERE id = $1::bigint AND owner_id = $2 RETURNING path_id, size',
    [id, ownerId],
  );
  const [row] = rows;
  return row === undefined ? null : { pathId: row.path_id, size: row.size };
}
