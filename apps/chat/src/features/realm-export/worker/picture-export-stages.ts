import { listAvatarStorageKeys } from '../../avatars/index.js';
import { listCustomEmojiStorageKeys } from '../../custom-emoji/index.js';
import { getRealmRow, type RealmImageKind, getRealmImageUrlPath } from '../../../core/realms/index.js';
import { createPublicPictureKey } from '../../../infra/storage/index.js';
import { publiclyShownEmailSql } from '../tables/export-sql-expressions.js';
import { archiveEntryNumbers, type RealmExportContext, type ExportStage } from './export-stage.js';
import {
  copyFilesToTarEntries,
  type FileCopiedToArchive,
  getArchiveFolderName,
  formatJsonListElements,
} from './copy-exported-files.js';

/** Maximum number of database rows whose pictures one export step copies. */
const picturesPerStep = 100;

/** Picture files of one page of database rows. */
interface ExportedPicturePage {
  readonly files: readonly FileCopiedToArchive[];
  /** Id of the last row of the page; null if no row follows. */
  readonly next: number | null;
}

/** Definition of an export stage that copies the pictures of a table's rows. */
interface PictureExportStageDefinition {
  /** Folder of the pictures in the archive. */
  readonly folder: string;
  readonly records: number;
  readonly files: number;
  list(context: RealmExportContext, afterId: number): Promise<ExportedPicturePage>;
}

function createPictureStage({
  folder,
  records: recordsEntry,
  files: filesEntry,
  list,
}: PictureExportStageDefinition): ExportStage {
  const listName = `${folder}_records`;
  return {
    async run(context, cursor) {
      const { afterId } = (cursor ?? { afterId: 0 }) as { afterId: number };
      const page = await list(context, afterId);
      const records: object[] = [];
      const archive = await getArchiveFolderName(context);
      const content = copyFilesToTarEntries(context, archive, page.files, ({ record }, size) =>
        records.push({ ...record, size }),
      );
      const copied = await context.parts.write(filesEntry, null, content);
      const before = context.counts[listName] ?? 0;
      const elements = formatJsonListElements(records, before, cursor === null, '[') + (page.next === null ? ']' : '');
      const listed = await context.parts.write(recordsEntry, `${folder}/records.json`, [elements]);
      return {
        parts: [copied, listed],
        cursor: page.next === null ? null : { afterId: page.next },
        counts: { [listName]: before + records.length },
      };
    },
  };
}

const getNextPictureCursor = (rows: readonly { readonly id: number }[]): number | null =>
  rows.length < picturesPerStep ? null : (rows.at(-1)?.id ?? null);

/** Returns the record that describes a picture in the archive, with the properties common to all kinds of pictures. */
const createPictureRecord = (realmId: number, path: string, more: object): object => ({
  realm_id: realmId,
  path,
  s3_path: path,
  last_modified: 0,
  ...more,
});

/**
 * Export stage that copies uploaded avatars. Only the larger size of an avatar is copied, because Zulip's importer
 * creates the other sizes.
 */
export const avatarsExportStage = createPictureStage({
  folder: 'avatars',
  records: archiveEntryNumbers.avatarRecords,
  files: archiveEntryNumbers.avatarFiles,
  async list({ database, realmId }, afterId) {
    const { rows } = await database.query<{ id: number; email: string; key: string; version: number }>(
      `SELECT u.id, ${publiclyShownEmailSql} AS email, u.avatar_key AS key, u.avatar_version AS version
       FROM users u JOIN realms realm ON realm.id = u.realm_id
       WHERE u.realm_id = $1 AND u.id > $2 AND u.avatar_source = 'U' AND u.avatar_key IS NOT NULL ORDER BY u.id LIMIT $3`,
      [realmId, afterId, picturesPerStep],
    );
    const files = rows.flatMap(({ id, email, key, version }) => {
      const [small = '', medium = ''] = listAvatarStorageKeys(realmId, key);
      const owner = { user_profile_id: id, user_profile_email: email, avatar_version: version };
      return [
        { storageKey: medium, path: `${realmId}/${key}.original` },
        { storageKey: small, path: `${realmId}/${key}.png` },
      ].map(({ storageKey, path }) => ({
        storageKey,
        path: `avatars/${path}`,
        size: null,
        record: createPictureRecord(realmId, path, { ...owner, content_type: 'image/png' }),
      }));
    });
    return { files, next: getNextPictureCursor(rows) };
  },
});

/** Export stage that copies the images of custom emoji into the archive. */
export const emojiExportStage = createPictureStage({
  folder: 'emoji',
  records: archiveEntryNumbers.emojiRecords,
  files: archiveEntryNumbers.emojiFiles,
  async list({ database, realmId }, afterId) {
    const { rows } = await database.query<{
      id: number;
      name: string;
      file_name: string;
      author: number | null;
      deactivated: boolean;
    }>(
      `SELECT id, name, file_name, author_id AS author, deactivated FROM realm_emoji
       WHERE realm_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [realmId, afterId, picturesPerStep],
    );
    const files = rows.map(({ id: _id, ...emoji }) => {
      const path = `${realmId}/emoji/images/${emoji.file_name}`;
      const [storageKey = ''] = listCustomEmojiStorageKeys(realmId, emoji.file_name, false);
      return { storageKey, path: `emoji/${path}`, size: null, record: createPictureRecord(realmId, path, emoji) };
    });
    return { files, next: getNextPictureCursor(rows) };
  },
});

const exportedRealmImageKinds: readonly RealmImageKind[] = ['icon', 'logo', 'night_logo'];

/** Export stage that copies the icon and the logos of the realm into the archive. */
export const realmIconsExportStage = createPictureStage({
  folder: 'realm_icons',
  records: archiveEntryNumbers.iconRecords,
  files: archiveEntryNumbers.iconFiles,
  async list({ database, realmId }) {
    const { images } = await getRealmRow(database, realmId);
    const files = exportedRealmImageKinds.flatMap((kind) => {
      const { key } = images[kind];
      if (key === null) return [];
      return ['original', 'png'].map((suffix) => {
        const path = `${realmId}/${kind}.${suffix}`;
        const storageKey = createPublicPictureKey(getRealmImageUrlPath(realmId, kind, key));
        return { storageKey, path: `realm_icons/${path}`, size: null, record: createPictureRecord(realmId, path, {}) };
      });
    });
    return { files, next: null };
  },
});
