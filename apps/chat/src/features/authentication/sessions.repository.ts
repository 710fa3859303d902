import type { Tx } from '@switchboard/database';
import { isPasswordStillVerifiedSql, type AccountWithVerifiedPassword } from './sign-in-accounts.repository.js';

/**
 * A browser session that will be stored. The database stores only a digest of the session's token, so that read access
 * to the table does not give access to accounts.
 */
export interface BrowserSessionToStore {
  readonly tokenDigest: string;
  readonly account: AccountWithVerifiedPassword;
  readonly csrfToken: string;
  readonly lifetimeSeconds: number;
}

/**
 * Creates a session and deletes the previous one of the browser. A password change locks the account before it deletes
 * sessions. Therefore either the change deletes this session, or this statement sees the new password.
 *
 * @returns false when the account was deactivated or the password changed since the verification
 */
export async function insertBrowserSession(
  tx: Tx,
  session: BrowserSessionToStore,
  replacedDigest: string | null,
): Promise<boolean> {
  const { tokenDigest, account, csrfToken, lifetimeSeconds } = session;
  const { rowCount } = await tx.query(
    `WITH replaced AS (DELETE FROM sessions WHERE token_digest = $5)
     INSERT INTO sessions (token_digest, user_id, csrf_token, expires_at)
     SELECT $1, id, $3, now() + make_interval(secs => $4) FROM users
     WHERE id = $2 AND ${isPasswordStillVerifiedSql('$6')} FOR SHARE`,
    [tokenDigest, account.userId, csrfToken, lifetimeSeconds, replacedDigest, account.passwordHash],
  );
  return rowCount > 0;
}

/** Deletes the browser session with this token digest. Returns the id of its user; null if there is no such session. */
export async function removeBrowserSession(tx: Tx, tokenDigest: string): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    'DELETE FROM sessions WHERE token_digest = $1 RETURNING user_id AS id',
    [tokenDigest],
  );
  return rows[0]?.id ?? null;
}

/** Deletes expired browser sessions. */
export async function removeExpiredBrowserSessions(tx: Tx): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE expires_at <= now()');
}
