import { differencesOf, type RunQuery } from './archive-differences.js';
import type { ArchiveRow, ReadArchive } from './export-archive-reader.js';

/** Function that reads a stored file by its storage key. Returns null if the storage has no such file. */
export type ReadStoredFile = (key: string) => Promise<Buffer | null>;

/** SQL of the email address that all users may see of the user `u` of the realm `r`. */
const shownEmail = `CASE WHEN u.email_address_visibility = 1 OR u.bot_type IS NOT NULL THEN u.delivery_email
  ELSE 'user' || u.id || '@' || r.fake_email_domain END`;

const messagesOfAttachment = `coalesce((SELECT json_agg(am.message_id ORDER BY am.message_id)
  FROM attachment_messages am WHERE am.attachment_id = a.id), '[]')`;

const scheduledOfAttachment = `coalesce((SELECT json_agg(s.id ORDER BY s.id) FROM scheduled_messages s
  WHERE s.user_id = a.owner_id AND strpos(s.content, a.path_id) > 0), '[]')`;

const linkedAttachments = `attachments a JOIN users u ON u.id = a.owner_id JOIN realms r ON r.id = a.realm_id
  WHERE EXISTS (SELECT FROM attachment_messages am WHERE am.attachment_id = a.id)
    OR EXISTS (SELECT FROM scheduled_messages s WHERE s.user_id = a.owner_id AND strpos(s.content, a.path_id) > 0)`;

const realmImages = `realms r CROSS JOIN (VALUES ('icon', 'icon'), ('logo', 'logo'), ('night_logo', 'nightlogo')) k (kind, folder)
  WHERE r.images -> k.kind ->> 'key' IS NOT NULL`;

/**
 * Folders of the archive that contain copied files, with the SQL statement that selects the expected records. Each row
 * has the columns of a record, and the key of the stored file in the column `stored`.
 */
const copiedFolders: Readonly<Record<string, string>> = {
  uploads: `SELECT a.realm_id, a.owner_id AS user_profile_id, ${shownEmail} AS user_profile_email, a.path_id AS path,
    a.path_id AS s3_path, a.created_at AS last_modified, a.content_type, 'uploads/' || a.path_id AS stored
    FROM ${linkedAttachments}`,
  avatars: `SELECT r.id AS realm_id, u.id AS user_profile_id, ${shownEmail} AS user_profile_email, u.avatar_version,
    r.id || '/' || u.avatar_key || f.suffix AS path, r.id || '/' || u.avatar_key || f.suffix AS s3_path,
    0 AS last_modified, 'image/png' AS content_type, 'pictures/' || r.id || '/' || u.avatar_key || f.stored AS stored
    FROM users u JOIN realms r ON r.id = u.realm_id
      CROSS JOIN (VALUES ('.original', '-medium.png'), ('.png', '.png')) f (suffix, stored)
    WHERE u.avatar_source = 'U' AND u.avatar_key IS NOT NULL`,
  emoji: `SELECT realm_id, name, file_name, author_id AS author, deactivated, 0 AS last_modified,
    realm_id || '/emoji/images/' || file_name AS path, realm_id || '/emoji/images/' || file_name AS s3_path,
    'pictures/' || realm_id || '/emoji/images/' || file_name AS stored FROM realm_emoji`,
  realm_icons: `SELECT r.id AS realm_id, 0 AS last_modified, r.id || '/' || k.kind || f.suffix AS path,
    r.id || '/' || k.kind || f.suffix AS s3_path,
    'pictures/' || r.id || '/realm/' || k.folder || '/' || (r.images -> k.kind ->> 'key') || '.png' AS stored
    FROM (VALUES ('.original'), ('.png')) f (suffix) CROSS JOIN ${realmImages}`,
};

/**
 * Compares the attachments of an export archive, and the records and bytes of all copied files, with the database and
 * the storage.
 *
 * @returns one line for each difference
 */
export async function compareCopiedFiles(
  read: ReadArchive,
  query: RunQuery,
  readStored: ReadStoredFile,
): Promise<string[]> {
  const differences = [await compareAttachments(read, query)];
  for (const [folder, sql] of Object.entries(copiedFolders)) {
    const expected = await query<Record<string, unknown>>(sql);
    const stored = await Promise.all(expected.map(({ stored: key }) => readStored(String(key))));
    const records = expected.map(({ stored: _key, ...record }, index) => ({ ...record, size: stored[index]?.length }));
    const archived = JSON.parse(String(read.files.get(`${folder}/records.json`))) as ArchiveRow[];
    differences.push(
      differencesOf(`${folder}/records.json`, {
        archive: archived.map(sortedEntries),
        database: records.map(sortedEntries),
      }),
      differencesOf(`files of ${folder}`, {
        archive: [...read.files].flatMap(([path, content]) =>
          path.startsWith(`${folder}/`) && !path.endsWith('/records.json') ? [[path, content.toString('base64')]] : [],
        ),
        database: expected.map(({ path }, index) => [`${folder}/${String(path)}`, stored[index]?.toString('base64')]),
      }),
    );
  }
  return differences.flat();
}

async function compareAttachments(read: ReadArchive, query: RunQuery): Promise<string[]> {
  const { zerver_attachment: archived = [] } = JSON.parse(String(read.files.get('attachment.json'))) as {
    zerver_attachment?: ArchiveRow[];
  };
  const stored = await query<Record<string, unknown>>(
    `SELECT a.id, a.realm_id AS realm, a.owner_id AS owner, a.file_name, a.path_id, a.created_at AS create_time, a.size,
       a.content_type, NULL AS is_realm_public, NULL AS is_web_public, ${messagesOfAttachment} AS messages,
       ${scheduledOfAttachment} AS scheduled_messages FROM ${linkedAttachments}`,
  );
  return differencesOf('zerver_attachment', {
    archive: archived.map(sortedEntries),
    database: stored.map(sortedEntries),
  });
}

/** Returns the columns of a row with their values, ordered by name. Times are UNIX seconds. */
function sortedEntries(row: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(row)
    .map(([name, value]) => [name, value instanceof Date ? value.getTime() / 1000 : value] as const)
    .toSorted(([one], [two]) => (one < two ? -1 : 1));
}
