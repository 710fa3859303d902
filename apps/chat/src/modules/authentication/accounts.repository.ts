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
  const { rows } = await tx.query<AccountRow>(
    `${accountSql} WHERE ${realmOfHost('$1')} AND u.delivery_email_key = $2`,
    [host, textKey(email)],
  );
  return accountOf(rows[0]);
}

type AccountRow = ActorRow & { password_hash: string | null; api_key_sealed: string | null };

const accountSql = `
  SELECT ${actorColumns}, u.password_hash, u.api_key_sealed FROM users u JOIN realms r ON r.id = u.realm_id`;

function accountOf(row: AccountRow | undefined): Account | null {
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

/** The account with this id; null when it is gone. */
export async function findOwnAccount(tx: Tx, userId: number): Promise<Account | null> {
  const { rows } = await tx.query<AccountRow>(`${accountSql} WHERE u.id = $1`, [userId]);
  return accountOf(rows[0]);
}
