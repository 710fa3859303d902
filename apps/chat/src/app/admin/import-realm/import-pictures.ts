import { basename } from 'node:path';
import { ApplicationError } from '@switchboard/errors';
import type { RealmImageKind } from '../../../core/realms/index.js';
import { createAvatarPicture, setAvatarOfNewAccount, storeAvatarImageFiles } from '../../../features/avatars/index.js';
import { createCustomEmojiImageFiles } from '../../../features/custom-emoji/index.js';
import { createRealmImageFile, getRealmImageStorageKey } from '../../../features/realm-images/index.js';
import { yieldBufferAsChunk } from '../../../infra/storage/index.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';
import { type ArchivedFileRecord, readArchivedFileRecords, readArchivedPicture } from './archived-files.js';

/** Scales and stores the avatar of each imported user who uploaded an avatar. */
export async function importAvatars(context: RealmImportContext, users: ImportedUsers): Promise<void> {
  const { tx, archive, report, realmId, pictures, files } = context;
  const uploaded = new Set<number>();
  for (const table of ['zerver_userprofile', 'zerver_userprofile_mirrordummy']) {
    for await (const rows of archive.tables.readTableInBatches(table)) {
      for (const row of rows) if (row.getUncheckedColumnValue('avatar_source') === 'U') uploaded.add(row.readId());
    }
  }
  const records = await selectOriginalPictureRecords(
    archive.folder,
    'avatars',
    (record) => record.user_profile_id ?? undefined,
  );
  for (const [userId, record] of records) {
    if (!uploaded.has(userId) || !users.has(userId)) continue;
    const picture = await scaleImportedPicture(context, `avatars/${record.path}`, (file) =>
      createAvatarPicture(pictures, realmId, file),
    );
    if (picture === null) continue;
    await storeAvatarImageFiles(files, picture);
    await setAvatarOfNewAccount(files, tx, userId, picture);
    report.addImportedRowCount('avatars', 1);
  }
}

const importedCustomEmojiColumns = {
  id: 'int',
  realm_id: 'int',
  author_id: 'int',
  name: 'text',
  file_name: 'text',
  is_animated: 'boolean',
  deactivated: 'boolean',
};

/**
 * Inserts the custom emoji of the archive with their images. An emoji without an image is deactivated. Returns the ids
 * of the inserted emoji.
 */
export async function importEmoji(context: RealmImportContext, users: ImportedUsers): Promise<ReadonlySet<number>> {
  const { tx, archive, realmId, pictures, files, report } = context;
  const records = await selectOriginalPictureRecords(
    archive.folder,
    'emoji',
    (record) => record.file_name ?? undefined,
  );
  const ids = new Set<number>();
  for (const row of await archive.tables.readTable('zerver_realmemoji')) {
    const record = records.get(row.readOptionalText('file_name') ?? '');
    const picture =
      record === undefined
        ? null
        : await scaleImportedPicture(context, `emoji/${record.path}`, (file) =>
            createCustomEmojiImageFiles(pictures, realmId, file),
          );
    for (const { key, content, contentType } of picture?.files ?? []) {
      await files.add(key, yieldBufferAsChunk(content), contentType);
      await files.cancelFileDeletion(tx, [key]);
    }
    const authorId = row.readOptionalId('author');
    const emoji = {
      id: row.readId(),
      realm_id: realmId,
      author_id: authorId !== null && users.has(authorId) ? authorId : null,
      name: row.readText('name'),
      file_name: picture?.fileName ?? 'missing.png',
      is_animated: picture?.isAnimated ?? false,
      deactivated: picture === null || row.readBoolean('deactivated'),
    };
    await insertImportedRows(tx, 'realm_emoji', importedCustomEmojiColumns, [emoji]);
    ids.add(emoji.id);
    report.addImportedRowCount('custom emoji', 1);
  }
  return ids;
}

const archivedRealmImageSettings: readonly (readonly [RealmImageKind, string])[] = [
  ['icon', 'icon'],
  ['logo', 'logo'],
  ['night_logo', 'night_logo'],
];

/** Stores the imported icon and logos of the organization. */
export async function importRealmImages(context: RealmImportContext, realm: ArchivedTableRow): Promise<void> {
  const { tx, archive, realmId, pictures, files } = context;
  const records = await selectOriginalPictureRecords(archive.folder, 'realm_icons', (record) =>
    basename(record.path).replace(/\.(original|png)$/, ''),
  );
  const images: Record<string, { key: string; version: number }> = {};
  for (const [kind, name] of archivedRealmImageSettings) {
    const record = records.get(name);
    if (realm.getUncheckedColumnValue(`${name}_source`) !== 'U' || record === undefined) continue;
    const image = await scaleImportedPicture(context, `realm_icons/${record.path}`, (file) =>
      createRealmImageFile(pictures, kind, file),
    );
    if (image === null) continue;
    const key = getRealmImageStorageKey(realmId, kind, image.imageKey);
    await files.add(key, yieldBufferAsChunk(image.content), 'image/png');
    await files.cancelFileDeletion(tx, [key]);
    images[kind] = { key: image.imageKey, version: realm.readOptionalInteger(`${name}_version`) ?? 1 };
  }
  await tx.query('UPDATE realms SET images = $2 WHERE id = $1', [realmId, JSON.stringify(images)]);
}

/**
 * Returns one file record per storage key of a picture: the record of the original image if the archive contains the
 * original.
 */
async function selectOriginalPictureRecords<K>(
  archiveFolder: string,
  folder: string,
  keyOf: (record: ArchivedFileRecord) => K | undefined,
): Promise<Map<K, ArchivedFileRecord>> {
  const records = new Map<K, ArchivedFileRecord>();
  for await (const record of readArchivedFileRecords(archiveFolder, folder)) {
    const key = keyOf(record);
    if (key === undefined) continue;
    if (!records.has(key) || record.s3_path.endsWith('.original')) records.set(key, record);
  }
  return records;
}

/** Converts a picture of the archive. Returns null if the picture does not exist or is not a usable image. */
async function scaleImportedPicture<T>(
  { archive, report }: RealmImportContext,
  path: string,
  convert: (file: Buffer) => Promise<T>,
): Promise<T | null> {
  const file = await readArchivedPicture(archive.folder, path);
  try {
    if (file !== null) return await convert(file);
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
  }
  report.addSkippedRowCount('pictures that are missing or damaged');
  return null;
}
