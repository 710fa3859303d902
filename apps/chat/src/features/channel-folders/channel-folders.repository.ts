import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { textKey } from '../../infra/text-key.js';
import { folderJson, type WireChannelFolder } from './wire-channel-folder.js';

/** Any number that no other advisory lock of this service uses as its first key. */
const foldersLock = 992_106;

/** Lets one transaction at a time name, order and archive the folders of a realm. */
export async function lockFolders(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [foldersLock, realmId]);
}

/** The folders of a realm in their order, archived ones included. */
export async function listFolders(tx: SqlReader, realmId: number): Promise<WireChannelFolder[]> {
  const { rows } = await tx.query<{ folder: WireChannelFolder }>(
    `SELECT ${folderJson} AS folder FROM channel_folders f WHERE f.realm_id = $1 ORDER BY f.position, f.id`,
    [realmId],
  );
  return rows.map(({ folder }) => folder);
}

/** A folder about to be made. */
export interface NewFolder {
  readonly realmId: number;
  readonly creatorId: number;
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
}

/** Makes a folder behind all others. The caller holds the folders and knows the name to be free. */
export async function addFolder(tx: Tx, folder: NewFolder): Promise<WireChannelFolder> {
  const { rows } = await tx.query<{ folder: WireChannelFolder }>(
    `INSERT INTO channel_folders AS f (realm_id, creator_id, name, name_key, description, rendered_description, position)
     VALUES ($1, $2, $3, $4, $5, $6, (SELECT count(*) FROM channel_folders WHERE realm_id = $1))
     RETURNING ${folderJson} AS folder`,
    [
      folder.realmId,
      folder.creatorId,
      folder.name,
      textKey(folder.name),
      folder.description,
      folder.renderedDescription,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.folder;
}

/** Gives a folder its new texts and state. */
export async function updateFolder(tx: Tx, folder: WireChannelFolder): Promise<void> {
  await tx.query(
    `UPDATE channel_folders SET name = $2, name_key = $3, description = $4, rendered_description = $5, is_archived = $6
     WHERE id = $1`,
    [folder.id, folder.name, textKey(folder.name), folder.description, folder.rendered_description, folder.is_archived],
  );
}

/** Puts folders into this order: one statement. */
export async function orderFolders(tx: Tx, order: readonly number[]): Promise<void> {
  await tx.query(
    `UPDATE channel_folders f SET position = place.number - 1
     FROM unnest($1::int[]) WITH ORDINALITY AS place(id, number) WHERE f.id = place.id`,
    [order],
  );
}

/** Whether a folder has channels. Holds the folder, so that none is put into it before the transaction ends. */
export async function lockedFolderHasChannels(tx: Tx, folderId: number): Promise<boolean> {
  await tx.query('SELECT 1 FROM channel_folders WHERE id = $1 FOR NO KEY UPDATE', [folderId]);
  const { rowCount } = await tx.query('SELECT 1 FROM channels WHERE folder_id = $1 LIMIT 1', [folderId]);
  return rowCount > 0;
}
