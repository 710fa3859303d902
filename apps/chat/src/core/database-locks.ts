import type { Tx } from '@switchboard/database';

/*
 * Advisory locks, table locks, and row locks whose statement reads no columns (docs/adr/0031). A statement that locks
 * rows and also reads them belongs to the code that uses the columns. A function of the database uses the advisory lock
 * key 992132. After waiting for a lock, a transaction must read again: its next query sees what was committed during
 * the wait.
 */

/**
 * First keys of the advisory locks that the service takes in PostgreSQL, by kind of lock. The second key of an advisory
 * lock is an id.
 */
const advisoryLockKeyByKind = {
  demoRealm: 992_101,
  realmMembership: 992_102,
  channelNames: 992_103,
  defaultChannels: 992_104,
  userTopics: 992_105,
  channelFolders: 992_106,
  channelRenames: 992_107,
  profileFields: 992_131,
  linkifiers: 992_182,
  emoji: 992_185,
  realmImport: 992_190,
} as const;

/**
 * Mode of a lock. Transactions with a shared lock may run concurrently; a transaction with an exclusive lock runs
 * alone.
 */
type AdvisoryLockMode = 'shared' | 'exclusive';

/** Takes an advisory lock for a realm until the transaction ends. */
async function takeAdvisoryLockForRealm(
  tx: Tx,
  lock: keyof typeof advisoryLockKeyByKind,
  realmId: number,
  mode: AdvisoryLockMode = 'exclusive',
): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await tx.query(`SELECT pg_advisory_xact_lock${suffix}($1, $2)`, [advisoryLockKeyByKind[lock], realmId]);
}

/** Takes a lock that lets only one process at a time create the demo realm. */
export async function lockDemoRealm(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLockKeyByKind.demoRealm]);
}

/** Takes a lock that lets only one transaction at a time import a realm. */
export async function lockRealmImport(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLockKeyByKind.realmImport]);
}

/**
 * Locks the users, roles and group members of a realm until the transaction ends. The lock makes the recipients of an
 * event complete (docs/contract/event-log.md 2.3). Without the lock, a user who joins during the creation of a channel
 * would receive the channel neither in a snapshot nor as an event. This lock must be the first lock of its transaction.
 *
 * @param mode `exclusive` for transactions that add users or change roles, states or memberships; `shared` for
 *   transactions that determine the recipients of an event.
 */
export const lockRealmMembership = (tx: Tx, realmId: number, mode: AdvisoryLockMode): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'realmMembership', realmId, mode);

/**
 * Takes a lock that lets only one transaction at a time create or rename channels of a realm. Of two concurrent
 * requests for one name, the second request therefore fails. This lock must precede any lock on users or channels.
 */
export const lockChannelNames = (tx: Tx, realmId: number): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'channelNames', realmId);

/**
 * Takes a lock that prevents renames of channels while another transaction emits an event that contains channel names.
 * The lock replaces row locks on all named channels. A transaction must take this lock after all other locks except the
 * lock of the event log.
 * @param mode `exclusive` for renames; `shared` for transactions that read names for an event, in a later statement.
 */
export const lockChannelRenames = (tx: Tx, realmId: number, mode: AdvisoryLockMode): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'channelRenames', realmId, mode);

/** Takes a lock that lets only one transaction at a time emit events about the default channels of a realm. */
export const lockDefaultChannels = (tx: Tx, realmId: number): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'defaultChannels', realmId);

/** Takes a lock that lets only one transaction at a time add or rename custom emoji of a realm. */
export const lockCustomEmoji = (tx: Tx, realmId: number): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'emoji', realmId);

/**
 * Locks the custom profile fields of a realm until the transaction ends. Mode `shared` is for setting values of users,
 * mode `exclusive` for changing the fields.
 */
export const lockProfileFields = (tx: Tx, realmId: number, mode: AdvisoryLockMode): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'profileFields', realmId, mode);

/**
 * Takes a lock that lets only one transaction at a time change the topic policies of the given users. Each event
 * therefore contains the complete current list of policies.
 */
export async function lockUserTopics(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.query(
    'SELECT pg_advisory_xact_lock($1, id) FROM (SELECT id FROM unnest($2::int[]) AS locked(id) ORDER BY id) ordered',
    [advisoryLockKeyByKind.userTopics, userIds],
  );
}

/**
 * Takes a lock that lets only one transaction at a time change the names, order or archiving of a realm's channel
 * folders.
 */
export const lockFolders = (tx: Tx, realmId: number): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'channelFolders', realmId);

/** Takes a lock that lets only one transaction at a time change the linkifiers of a realm. */
export const lockLinkifiers = (tx: Tx, realmId: number): Promise<void> =>
  takeAdvisoryLockForRealm(tx, 'linkifiers', realmId);

/** Locks the row of a realm, so that only one transaction at a time changes the realm. */
export async function lockRealm(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT 1 FROM realms WHERE id = $1 FOR NO KEY UPDATE', [realmId]);
}

/**
 * Locks a user's row in the table `users`, so that only one transaction at a time changes rows that belong to the user.
 */
export async function lockUserRow(tx: Tx, userId: number): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}

/** Locks the rows of the given users against changes until the transaction ends. */
export async function lockUsers(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = ANY($1) ORDER BY id FOR SHARE', [userIds]);
}

/**
 * Locks an account whose password was verified. Returns false if the user was deactivated or the password was changed
 * since the password was verified.
 */
export async function lockVerifiedUser(
  tx: Tx,
  { userId, passwordHash }: { readonly userId: number; readonly passwordHash: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM users WHERE id = $1 AND is_active AND password_hash IS NOT DISTINCT FROM $2 FOR NO KEY UPDATE',
    [userId, passwordHash],
  );
  return rowCount > 0;
}

/** Locks the rows that store the times of the given users' last requests. */
export async function lockUserActivity(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM user_activity WHERE user_id = ANY($1) ORDER BY user_id FOR UPDATE', [userIds]);
}

/** Locks the presence rows of the given users, so that these users cannot become active before the transaction ends. */
export async function lockPresences(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM presences WHERE user_id = ANY($1) ORDER BY user_id FOR NO KEY UPDATE', [userIds]);
}

/**
 * Waits for running transactions that soft-deactivate users, and blocks further soft deactivations until this
 * transaction ends.
 */
export async function lockSoftDeactivations(tx: Tx): Promise<void> {
  await tx.query('LOCK TABLE soft_deactivations IN SHARE MODE');
}

/**
 * Locks the recipient rows of channels against messages that are sent, moved or deleted. A transaction that sends a
 * message uses mode `shared`; mode `exclusive` waits for such transactions.
 */
export async function lockChannelRecipients(
  tx: Tx,
  channelIds: readonly number[],
  mode: AdvisoryLockMode,
): Promise<void> {
  const strength = mode === 'shared' ? 'SHARE' : 'NO KEY UPDATE';
  await tx.query(`SELECT FROM recipients WHERE channel_id = ANY($1) ORDER BY channel_id FOR ${strength}`, [channelIds]);
}

/** Locks uploaded files, so that no new message can link the files until the transaction ends. */
export async function lockAttachments(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM attachments WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE', [ids]);
}

/** Prevents the deactivation of a user until the transaction ends. Returns false if the user is already deactivated. */
export async function lockUserAgainstDeactivation(tx: Tx, userId: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM users WHERE id = $1 AND is_active FOR SHARE', [userId]);
  return rowCount > 0;
}

/**
 * Prevents the deletion of a browser session until the transaction ends. Returns false if the session does not exist.
 */
export async function lockSession(tx: Tx, tokenDigest: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM sessions WHERE token_digest = $1 FOR KEY SHARE', [tokenDigest]);
  return rowCount > 0;
}

/**
 * Prevents the deletion of an API key with scopes until the transaction ends. Returns false if the key does not exist
 * or has expired.
 */
export async function lockScopedApiKey(tx: Tx, keyId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM api_keys WHERE id = $1 AND (expires_at IS NULL OR expires_at > now()) FOR KEY SHARE',
    [keyId],
  );
  return rowCount > 0;
}

/**
 * Locks the stored token with which a user accesses a video call provider. Returns the encrypted token, or null if the
 * user has no token of this provider.
 */
export async function lockVideoCallToken(tx: Tx, userId: number, provider: string): Promise<string | null> {
  const { rows } = await tx.query<{ sealed: string }>(
    'SELECT token_sealed AS sealed FROM video_call_tokens WHERE user_id = $1 AND provider = $2 FOR UPDATE',
    [userId, provider],
  );
  return rows[0]?.sealed ?? null;
}

/**
 * Locks a navigation view of a user until the transaction ends. Returns false if the user has no view with this URL
 * fragment.
 */
export async function lockNavigationView(tx: Tx, userId: number, fragment: string): Promise<boolean> {
  const view = [userId, fragment];
  const { rowCount } = await tx.query(
    'SELECT 1 FROM navigation_views WHERE user_id = $1 AND fragment = $2 FOR UPDATE',
    view,
  );
  return rowCount > 0;
}

/** Locks a channel folder, so that no channel can be added to the folder before the transaction ends. */
export async function lockChannelFolder(tx: Tx, folderId: number): Promise<void> {
  await tx.query('SELECT 1 FROM channel_folders WHERE id = $1 FOR NO KEY UPDATE', [folderId]);
}

/**
 * Prevents the archiving of a channel folder until the transaction ends. Returns false if the folder is archived or
 * does not exist.
 */
export async function lockActiveChannelFolder(tx: Tx, realmId: number, folderId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM channel_folders WHERE realm_id = $1 AND id = $2::bigint AND NOT is_archived FOR SHARE',
    [realmId, folderId],
  );
  return rowCount > 0;
}
