import type { Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { lockActiveFolder } from '../database-locks.js';

/** Returns those of the given names that no channel of the realm has. */
export async function listUnusedNames(tx: Tx, realmId: number, names: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ name_key: string }>(
    'SELECT name_key FROM channels WHERE realm_id = $1 AND name_key = ANY($2)',
    [realmId, names.map(toTextKey)],
  );
  const taken = new Set(rows.map((row) => row.name_key));
  return names.filter((name) => !taken.has(toTextKey(name)));
}

/**
 * Locks the channel folder to which channels are about to be assigned.
 *
 * @throws AppError BAD_REQUEST if the folder does not exist or is archived
 */
export async function lockFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  if (!(await lockActiveFolder(tx, realmId, folderId))) throw createBadRequestError('Invalid channel folder ID');
}
