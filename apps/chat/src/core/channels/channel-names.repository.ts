import type { Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { lockActiveChannelFolder } from '../database-locks.js';

/** Returns those of the given names that no channel of the realm has. */
export async function listUnusedChannelNames(tx: Tx, realmId: number, names: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ name_key: string }>(
    'SELECT name_key FROM channels WHERE realm_id = $1 AND name_key = ANY($2)',
    [realmId, names.map(normalizeTextForComparison)],
  );
  const taken = new Set(rows.map((row) => row.name_key));
  return names.filter((name) => !taken.has(normalizeTextForComparison(name)));
}

/**
 * Locks the channel folder to which channels are about to be assigned.
 *
 * @throws ApplicationError BAD_REQUEST if the folder does not exist or is archived
 */
export async function lockFolderForChannelAssignment(tx: Tx, realmId: number, folderId: number): Promise<void> {
  if (!(await lockActiveChannelFolder(tx, realmId, folderId))) throw createBadRequestError('Invalid channel folder ID');
}
