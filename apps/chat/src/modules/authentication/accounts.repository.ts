import type { Tx } from '@switchboard/database';
import { actorColumns, type ActorRow, type CredentialOwner, ownerOf } from '../../access/authenticator.js';
import { textKey } from '../../text-key.js';
import { realmOfHost } from '../realms/index.js';

/** An account with what it signs in by. */
export interface Account {
  readonly owner: CredentialOwner;
  readonly passwordHash: string | null;
  readonly apiKeySealed: string | null;
}

/** The account with this address in the realm of this host; null when there is none. */
export async function findAccount(tx: Tx, host: string, email: string): Promise<Account | null> {
  const { rows } = await tx.query<ActorRow & { password_hash: string | null; api_key_sealed: string | null }>(
    `SELECT ${actorColumns}, u.password_hash, u.api_key_sealed
     FROM users u JOIN realms r ON r.id = u.realm_id
     WHERE ${realmOfHost('$1')} AND u.delivery_email_key = $2`,
    [host, textKey(email)],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { owner: ownerOf(row), passwordHash: row.password_hash, apiKeySealed: row.api_key_sealed };
}

/**
 * Keeps the time of a sign-in. The first one to an imported account is when its owner joins: from then on it is no stub
 * (chat.md 2.1).
 */
export async function recordSignIn(tx: Tx, userId: number): Promise<void> {
  await tx.query(
    `UPDATE users SET last_login_at = now(), is_imported_stub = is_imported_stub AND last_login_at IS NOT NULL,
       date_joined = CASE WHEN is_imported_stub AND last_login_at IS NULL THEN now() ELSE date_joined END
     WHERE id = $1`,
    [userId],
  );
}

/** A browser's session. Its token is stored as a digest: a stolen table opens no account. */
export async function addSession(
  tx: Tx,
  session: { readonly tokenDigest: string; readonly userId: number; readonly csrfToken: string; readonly days: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO sessions (token_digest, user_id, csrf_token, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(days => $4))`,
    [session.tokenDigest, session.userId, session.csrfToken, session.days],
  );
}
