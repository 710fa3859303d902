import type { Tx } from '@switchboard/database';

/*
 * Locks that code on the side of Prisma takes (docs/adr/0031). After a lock was waited for, read again: the next query of a
 * transaction sees what was committed meanwhile.
 */

/** First keys of advisory locks; no other lock of this service uses them. */
const advisory = { channelFolders: 992_106, linkifiers: 992_182 } as const;

/** Serializes changes of rows that belong to a user, by locking the row of the user. */
export async function lockOwner(tx: Tx, userId: number): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}

/** Keeps a user active until the transaction ends. Returns false if the user is deactivated. */
export async function lockActiveUser(tx: Tx, userId: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM users WHERE id = $1 AND is_active FOR SHARE', [userId]);
  return rowCount > 0;
}

/** Keeps a session from being deleted until the transaction ends. Returns false if the session does not exist. */
export async function lockSession(tx: Tx, tokenDigest: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM sessions WHERE token_digest = $1 FOR KEY SHARE', [tokenDigest]);
  return rowCount > 0;
}

/** Locks a navigation view of a user. Returns false if the user has none with this fragment. */
export async function lockNavigationView(tx: Tx, userId: number, fragment: string): Promise<boolean> {
  const view = [userId, fragment];
  const { rowCount } = await tx.query(
    'SELECT 1 FROM navigation_views WHERE user_id = $1 AND fragment = $2 FOR UPDATE',
    view,
  );
  return rowCount > 0;
}

/** Serializes changes to names, order and archiving of a realm's channel folders. */
export async function lockFolders(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [advisory.channelFolders, realmId]);
}

/** Locks a channel folder, so that no channel is added to it before the transaction ends. */
export async function lockFolder(tx: Tx, folderId: number): Promise<void> {
  await tx.query('SELECT 1 FROM channel_folders WHERE id = $1 FOR NO KEY UPDATE', [folderId]);
}

/** Serializes changes to the linkifiers of a realm. */
export async function lockLinkifiers(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [advisory.linkifiers, realmId]);
}
