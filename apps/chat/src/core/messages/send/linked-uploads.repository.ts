import type { Tx } from '@switchboard/database';
import type { ResolvedMessageReferences, UploadedMedia } from '../../../infra/markdown/index.js';
import { messageThumbnailSize } from '../../attachments/index.js';
import { selectAccessibleMessageClauses } from '../read/narrow/accessible-messages.js';
import { NumberedSqlParameters } from '../read/narrow/numbered-sql-parameters.js';
import type { MessageAuthor } from './resolve-mentioned-users.repository.js';

interface UploadedMediaRow {
  path_id: string;
  content_type: string;
  image_width: number | null;
  image_height: number | null;
}

/**
 * Looks up the uploaded files that a message links, if its author can read them. Executes no SQL statement if the
 * message contains no links to files.
 */
export async function resolveLinkedUploads(
  tx: Tx,
  author: MessageAuthor,
  paths: readonly string[],
): Promise<Pick<ResolvedMessageReferences, 'uploads'>> {
  const uploads = new Map<string, UploadedMedia>();
  if (paths.length === 0) return { uploads };
  const parameters = new NumberedSqlParameters();
  const { rows } = await tx.query<UploadedMediaRow>(
    `SELECT a.path_id, a.content_type, a.image_width, a.image_height FROM attachments a
     WHERE ${mayAuthorLinkUploadSql(author, paths, parameters)}`,
    parameters.values,
  );
  const byPathId = new Map(rows.map((row) => [row.path_id, row]));
  for (const path of paths) {
    const row = byPathId.get(decodeUploadPathId(path));
    const media =
      row && toUploadedMedia(path, { contentType: row.content_type, width: row.image_width, height: row.image_height });
    if (media !== undefined) uploads.set(path, media);
  }
  return { uploads };
}

/**
 * Links a message to exactly the files in its content, because readers of the message may read the linked files. Files
 * that the author may not read are not linked. If a file is being removed, waits for the removal and does not link the
 * file.
 *
 * @returns the ids of newly linked files, and of files that are no longer linked
 */
export async function writeUploadLinks(
  tx: Tx,
  author: MessageAuthor,
  messageId: number,
  paths: readonly string[],
): Promise<{ linked: number[]; unlinked: number[] }> {
  const parameters = new NumberedSqlParameters();
  const message = parameters.addValue(messageId);
  const { rows } = await tx.query<{ attachment_id: number; is_linked: boolean }>(
    `WITH gone AS (
       DELETE FROM attachment_messages am USING attachments a
       WHERE am.message_id = ${message} AND a.id = am.attachment_id
         AND a.path_id <> ALL(${parameters.addValue(paths.map(decodeUploadPathId))}::text[])
       RETURNING am.attachment_id
     ), added AS (
       INSERT INTO attachment_messages (attachment_id, message_id)
       SELECT a.id, ${message}::bigint FROM attachments a WHERE ${mayAuthorLinkUploadSql(author, paths, parameters)}
       FOR KEY SHARE OF a
       ON CONFLICT DO NOTHING RETURNING attachment_id
     )
     SELECT attachment_id, false AS is_linked FROM gone UNION ALL SELECT attachment_id, true FROM added`,
    parameters.values,
  );
  return {
    linked: rows.filter((row) => row.is_linked).map((row) => row.attachment_id),
    unlinked: rows.filter((row) => !row.is_linked).map((row) => row.attachment_id),
  };
}

/**
 * Returns the SQL condition that the author may link an uploaded file: the author owns the file, or can read a message
 * that contains it.
 */
function mayAuthorLinkUploadSql(
  author: MessageAuthor,
  paths: readonly string[],
  parameters: NumberedSqlParameters,
): string {
  const { from, where } = selectAccessibleMessageClauses(author, parameters);
  return `a.realm_id = ${parameters.addValue(author.realmId)} AND a.path_id = ANY(${parameters.addValue(paths.map(decodeUploadPathId))}::text[])
    AND (a.owner_id = ${parameters.addValue(author.id)} OR EXISTS (
      SELECT 1 FROM ${from} WHERE ${where}
        AND m.id IN (SELECT am.message_id FROM attachment_messages am WHERE am.attachment_id = a.id)))`;
}

/** Returns the decoded path after /user_uploads/ in a link. The path in the link may be percent-encoded or not. */
export function decodeUploadPathId(path: string): string {
  const [bare = ''] = path.slice('/user_uploads/'.length).split(/[?#]/, 1);
  try {
    return decodeURIComponent(bare).replaceAll('\0', '');
  } catch {
    return bare;
  }
}

/** Returns the data with which a message shows an uploaded file inline; undefined if the message shows only a link. */
export function toUploadedMedia(
  path: string,
  {
    contentType,
    width,
    height,
  }: { readonly contentType: string; readonly width: number | null; readonly height: number | null },
): UploadedMedia | undefined {
  if (width !== null && height !== null) {
    const [bare = ''] = path.split(/[?#]/, 1);
    const thumbnailUrl = `${bare.replace('/user_uploads/', '/user_uploads/thumbnail/')}/${messageThumbnailSize.name}`;
    return { kind: 'image', thumbnailUrl, width, height, contentType };
  }
  if (contentType.startsWith('video/')) return { kind: 'video' };
  return contentType.startsWith('audio/') ? { kind: 'audio' } : undefined;
}
