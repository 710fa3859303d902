import type { Tx } from '@switchboard/database';
import { badRequest } from '../../errors.js';
import { textKey } from '../../infra/text-key.js';

/** First key of this advisory lock; no other lock of this service uses it. */
const namesLock = 992_103;

/**
 * Serializes creating and renaming channels of a realm, so that the second of two requests for one name finds it taken.
 * Must precede any lock on users or channels.
 */
export async function lockChannelNames(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [namesLock, realmId]);
}

/** First key of this advisory lock; no other lock of this service uses it. */
const renamesLock = 992_107;

/**
 * Serializes renames of channels with events that contain channel names, until the transaction ends. With it, an event
 * about any number of channels needs no lock on their rows. Must be the last lock of a transaction except that of the
 * event log.
 * @param mode `exclusive` for renames; `shared` for transactions that read names for an event, in a later statement.
 */
export async function lockRenames(tx: Tx, realmId: number, mode: 'shared' | 'exclusive'): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await tx.query(`SELECT pg_advisory_xact_lock${suffix}($1, $2)`, [renamesLock, realmId]);
}

/** Returns those of the names that no channel of the realm has. */
export async function listFreeNames(tx: Tx, realmId: number, names: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ name_key: string }>(
    'SELECT name_key FROM channels WHERE realm_id = $1 AND name_key = ANY($2)',
    [realmId, names.map(textKey)],
  );
  const taken = new Set(rows.map((row) => row.name_key));
  return names.filter((name) => !taken.has(textKey(name)));
}

/**
 * Locks the folder that channels are assigned to.
 * @throws AppError BAD_REQUEST if it does not exist or is archived
 */
export async function lockFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM channel_folders WHERE realm_id = $1 AND id = $2::bigint AND NOT is_archived FOR SHARE',
    [realmId, folderId],
  );
  if (rowCount === 0) throw badRequest('Invalid channel folder ID');
}
