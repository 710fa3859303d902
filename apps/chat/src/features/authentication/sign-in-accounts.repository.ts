import type { Tx } from '@switchboard/database';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { isRealmOfHostSql } from '../../core/realms/index.js';
import { dateJoinedSql } from '../../core/users/index.js';

/** An account with the data that a sign-in needs, such as the password hash. */
export interface SignInAccount {
  readonly owner: CredentialOwner;
  readonly passwordHash: string | null;
  readonly apiKeySealed: string | null;
  /** True if another user created the account and the account's owner has not signed in yet. */
  readonly awaitsFirstLogin: boolean;
}

/** Returns the account with the given email address in the realm of the host; null if no account has this address. */
export async function findSignInAccount(tx: Tx, host: string, email: string): Promise<SignInAccount | null> {
  const { rows } = await tx.query<SignInAccountRow>(
    `${signInAccountSql} WHERE ${isRealmOfHostSql('$1')} AND u.delivery_email_key = $2`,
    [host, normalizeTextForComparison(email)],
  );
  return toSignInAccount(rows[0]);
}

/** Lists at most 1,000 active people of a realm, ordered by email address. */
export async function listActivePeopleOfRealm(tx: Tx, realmId: number): Promise<{ email: string; role: number }[]> {
  const { rows } = await tx.query<{ email: string; role: number }>(
    `SELECT delivery_email AS email, role FROM users
     WHERE realm_id = $1 AND is_active AND bot_type IS NULL AND NOT is_system_bot
     ORDER BY delivery_email_key LIMIT 1000`,
    [realmId],
  );
  return rows;
}

type SignInAccountRow = AuthenticatedAccountRow & {
  password_hash: string | null;
  api_key_sealed: string | null;
  awaits_first_login: boolean;
};

/** SQL condition over `users u` that is true if the owner of the account has not signed in yet. */
const awaitsFirstLoginSql = '(u.awaits_first_login OR u.is_imported_stub) AND u.last_login_at IS NULL';

const signInAccountSql = `
  SELECT ${chatActorColumns}, u.password_hash, u.api_key_sealed, ${awaitsFirstLoginSql} AS awaits_first_login
  FROM users u JOIN realms r ON r.id = u.realm_id`;

function toSignInAccount(row: SignInAccountRow | undefined): SignInAccount | null {
  if (row === undefined) return null;
  return {
    owner: toCredentialOwner(row),
    passwordHash: row.password_hash,
    apiKeySealed: row.api_key_sealed,
    awaitsFirstLogin: row.awaits_first_login,
  };
}

/** An account whose password was verified, with the password hash that was stored at the time of the verification. */
export interface AccountWithVerifiedPassword {
  readonly userId: number;
  /**
   * Stored hash of the account's password. Null for an account without a password, which can sign in only in
   * development mode.
   */
  readonly passwordHash: string | null;
}

/**
 * Returns the SQL condition on `users` that the account is active and its password is the verified password.
 * `lockVerifiedUser` of `core/database-locks.ts` has the same condition.
 *
 * @param hash parameter of the hash, for example `$2`
 */
export const isPasswordStillVerifiedSql = (hash: string): string =>
  `is_active AND password_hash IS NOT DISTINCT FROM ${hash}`;

/**
 * Records the time of a sign-in.
 *
 * @returns the account's stored, encrypted API key; undefined when the account was deactivated or its password changed
 * after the verification
 */
export async function recordSignIn(
  tx: Tx,
  { userId, passwordHash }: AccountWithVerifiedPassword,
): Promise<{ readonly apiKeySealed: string | null } | undefined> {
  const { rows } = await tx.query<{ apiKeySealed: string | null }>(
    `UPDATE users SET last_login_at = now() WHERE id = $1 AND ${isPasswordStillVerifiedSql('$2')}
     RETURNING api_key_sealed AS "apiKeySealed"`,
    [userId, passwordHash],
  );
  return rows[0];
}

/** Properties of an account that change when its owner signs in for the first time. */
export interface AccountPropertiesAfterFirstLogin {
  /** New join date of the account, in the format of the API. */
  readonly dateJoined: string;
  readonly wasImportedStub: boolean;
}

/**
 * Records the first sign-in to an account that another user created (chat-2.1-5). Sets the join date, and resets the
 * column `is_imported_stub`. Returns null if the first sign-in was recorded before.
 */
export async function recordFirstLogin(tx: Tx, userId: number): Promise<AccountPropertiesAfterFirstLogin | null> {
  const { rows } = await tx.query<AccountPropertiesAfterFirstLogin>(
    `WITH before AS (SELECT u.id, u.is_imported_stub FROM users u WHERE u.id = $1 AND ${awaitsFirstLoginSql} FOR UPDATE)
     UPDATE users u SET last_login_at = now(), date_joined = now(), is_imported_stub = false, awaits_first_login = false
     FROM before b WHERE u.id = b.id
     RETURNING ${dateJoinedSql} AS "dateJoined", b.is_imported_stub AS "wasImportedStub"`,
    [userId],
  );
  return rows[0] ?? null;
}

/** Returns the account with the given user id; null if the account does not exist. */
export async function findOwnAccount(tx: Tx, userId: number): Promise<SignInAccount | null> {
  const { rows } = await tx.query<SignInAccountRow>(`${signInAccountSql} WHERE u.id = $1`, [userId]);
  return toSignInAccount(rows[0]);
}
