import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** A resumable upload to be stored. */
export interface NewResumableUpload {
  readonly id: string;
  readonly ownerId: number;
  /** Metadata of the upload in the format of the header `Upload-Metadata`. */
  readonly metadata: string;
  readonly fileName: string;
  readonly contentType: string;
  /** Size of the complete uploaded file in bytes. */
  readonly size: number;
}

/** A stored resumable upload. */
export interface ResumableUpload extends NewResumableUpload {
  /** Number of bytes of the upload that the server has received and stored. */
  readonly received: number;
  /** Path of the uploaded file below /user_uploads/; null until the parts of the upload are joined. */
  readonly pathId: string | null;
  readonly createdAt: Date;
}

/** Inserts a resumable upload. Returns false if the user would exceed the maximum number of unfinished uploads. */
export async function addUpload(tx: Tx, added: NewResumableUpload, limit: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO resumable_uploads (id, owner_id, metadata, file_name, content_type, size)
     SELECT $1, $2, $3, $4, $5, $6
     WHERE (SELECT count(*) FROM resumable_uploads WHERE owner_id = $2 AND path_id IS NULL) < $7`,
    [added.id, added.ownerId, added.metadata, added.fileName, added.contentType, added.size, limit],
  );
  return rowCount > 0;
}

/** Returns a resumable upload of a user, or null if the upload does not exist or has expired. */
export async function findUpload(
  tx: SqlQueryRunner,
  ownerId: number,
  id: string,
  hours: number,
): Promise<ResumableUpload | null> {
  const { rows } = await tx.query<ResumableUpload>(
    `SELECT id, owner_id AS "ownerId", metadata, file_name AS "fileName", content_type AS "contentType", size, received,
       path_id AS "pathId", created_at AS "createdAt"
     FROM resumable_uploads WHERE id = $1 AND owner_id = $2 AND created_at > now() - make_interval(hours => $3)`,
    [id, ownerId, hours],
  );
  return rows[0] ?? null;
}

/** Returns true if an upload already has the maximum number of stored parts for the upload's size. */
export async function hasMaximumUploadParts(
  tx: SqlQueryRunner,
  id: string,
  limits: { readonly partBytes: number; readonly small: number },
): Promise<boolean> {
  const { rows } = await tx.query(
    `SELECT FROM resumable_uploads r WHERE id = $1
       AND (SELECT count(*) FROM resumable_upload_parts WHERE upload_id = r.id) >= r.size / $2::int + $3::int`,
    [id, limits.partBytes, limits.small],
  );
  return rows.length > 0;
}

/**
 * Inserts the database row of a stored part of an upload. Returns false if another request has already stored bytes at
 * this position, or has removed the upload.
 */
export async function addUploadPart(
  tx: Tx,
  part: { readonly uploadId: string; readonly start: number; readonly length: number; readonly key: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH upload AS (
       UPDATE resumable_uploads SET received = received + $3 WHERE id = $1 AND received = $2 AND path_id IS NULL
       RETURNING id)
     INSERT INTO resumable_upload_parts (upload_id, start_at, key) SELECT id, $2, $4 FROM upload`,
    [part.uploadId, part.start, part.length, part.key],
  );
  return rowCount > 0;
}

/** Lists the storage keys of an upload's parts, in the order of the parts in the file. */
export async function listUploadPartKeys(tx: SqlQueryRunner, id: string): Promise<string[]> {
  const { rows } = await tx.query<{ key: string }>(
    'SELECT key FROM resumable_upload_parts WHERE upload_id = $1 ORDER BY start_at',
    [id],
  );
  return rows.map(({ key }) => key);
}

/**
 * Marks an upload as finished, and deletes the database rows of the upload's parts.
 *
 * @returns the storage keys of the parts; null if another request has finished or removed the upload
 */
export async function finishUpload(tx: Tx, id: string, pathId: string): Promise<string[] | null> {
  const { rowCount } = await tx.query(
    'UPDATE resumable_uploads SET path_id = $2 WHERE id = $1 AND path_id IS NULL AND received = size',
    [id, pathId],
  );
  return rowCount > 0 ? deleteUploadParts(tx, [id]) : null;
}

/**
 * Deletes an unfinished upload of a user. Returns the size of the upload and the storage keys of the upload's parts, or
 * null if the upload does not exist.
 */
export async function removeUpload(
  tx: Tx,
  ownerId: number,
  id: string,
): Promise<{ readonly keys: string[]; readonly size: number } | null> {
  const { rows } = await tx.query<{ size: number }>(
    'SELECT size FROM resumable_uploads WHERE id = $1 AND owner_id = $2 AND received < size FOR UPDATE',
    [id, ownerId],
  );
  const [upload] = rows;
  if (upload === undefined) return null;
  const keys = await deleteUploadParts(tx, [id]);
  await tx.query('DELETE FROM resumable_uploads WHERE id = $1', [id]);
  return { keys, size: upload.size };
}

/** Deletes the database rows of the parts of uploads. Returns the storage keys of the parts. */
export async function deleteUploadParts(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ key: string }>(
    'DELETE FROM resumable_upload_parts WHERE upload_id = ANY($1) RETURNING key',
    [ids],
  );
  return rows.map(({ key }) => key);
}
