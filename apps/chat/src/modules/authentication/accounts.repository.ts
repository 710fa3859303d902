import type { Tx } from '@switchboard/database';
import { actorColumns, type ActorRow, type CredentialOwner, ownerOf } from '../../access/authenticator.js';
import { textKey } from '../../text-key.js';
import { realmOfHost } from '../realms/index.js';
import { wireDateJoined } from '../users/index.js';

/** An account with what it signs in by. */
export interface Account {
  readonly owner: CredentialOwner;
  readonly passwordHash: string | null;
  readonly apiKeySealed: string | null;
  /** Somebody else made it, and nobody has signed in yet. */
  readonly awaitsFirstLogin: boolean;
}

/** The account with this address in the realm of this host; null when there is none. */
export async function findAccount(tx: Tx, host: string, email: string): Promise<Account | null> {
  const { rows } = await tx.query<AccountRow>(
    `${accountSql} WHERE ${realmOfHost('$1')} AND u.delivery_email_key = $2`,
    [host, textKey(email)],
  );
  return accountOf(rows[0]);
}

type AccountRow = ActorRow & {
  password_hash: string | null;
  api_key_sealed: string | null;
  awaits_first_login: boolean;
};

/** An account whose owner has yet to come, among `users u`. */
const awaitsFirstLogin = '(u.awaits_first_login OR u.is_imported_stub) AND u.last_login_at IS NULL';

const accountSql = `
  SELECT ${actorColumns}, u.password_hash, u.api_key_sealed, ${awaitsFirstLogin} AS awaits_first_login
  FROM users u JOIN realms r ON r.id = u.realm_id`;

function accountOf(row: AccountRow | undefined): Account | null {
  if (row === undefined) return null;
  return {
    owner: ownerOf(row),
    passwordHash: row.password_hash,
    apiKeySealed: row.api_key_sealed,
    awaitsFirstLogin: row.awaits_first_login,
  };
}

/** Keeps the time of a sign-in. */
export async function recordSignIn(tx: Tx, userId: number): Promise<void> {
  await tx.query('UPDATE users SET last_login_at = now() WHERE id = $1', [userId]);
}

/** When the owner of an account came for the first time. */
export interface Arrival {
  /** As the API writes it. */
  readonly dateJoined: string;
  readonly wasImportedStub: boolean;
}

/**
 * Keeps the first sign-in to an account that somebody else made: its owner joins now, and it is no stub any more
 * (chat.md 2.1). Null when that has happened before.
 */
export async function recordArrival(tx: Tx, userId: number): Promise<Arrival | null> {
  const { rows } = await tx.query<Arrival>(
    `WITH before AS (SELECT u.id, u.is_imported_stub FROM users u WHERE u.id = $1 AND ${awaitsFirstLogin} FOR UPDATE)
     UPDATE users u SET last_login_at = now(), date_joined = now(), is_imported_stub = false, awaits_first_login = false
     FROM before b WHERE u.id = b.id
     RETURNING ${wireDateJoined} AS "dateJoined", b.is_imported_stub AS "wasImportedStub"`,
    [userId],
  );
  return rows[0] ?? null;
}

/** The account with this id; null when it is gone. */
export async function findOwnAccount(tx: Tx, userId: number): Promise<Account | null> {
  const { rows } = await tx.query<AccountRow>(`${accountSql} WHERE u.id = $1`, [userId]);
  return accountOf(rows[0]);
}
