import { createHash } from 'node:crypto';
import type { Tx } from '@switchboard/database';
import type { QueueTx } from '@switchboard/queue';

/** Lifetime of a password reset link in hours. */
export const resetLinkLifetimeHours = 24;

/** Returns the digest of a password reset link's token. Only the digest is stored. */
export function digestResetToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * SQL expression for a digest of the password hash and email address of the user `u`. A password reset link becomes
 * invalid when the digest changes, that is, when the password or the email address changes.
 */
const passwordAndEmailDigestSql =
  "encode(sha256(convert_to(coalesce(u.password_hash, '') || ' ' || u.delivery_email_key, 'UTF8')), 'hex')";

/** SQL condition that a password reset link `p` is valid and belongs to the active account `u` of the realm `$1`. */
const isResetLinkUsableSql = `u.id = p.user_id AND u.realm_id = $1 AND u.is_active AND p.expires_at > now()
  AND p.account_digest = ${passwordAndEmailDigestSql}`;

/** A requested password reset link. The requested email address may belong to no account. */
export interface RequestedResetLink {
  readonly realmId: number;
  /** Requested email address in normalized form, which is used for comparisons. */
  readonly emailKey: string;
  readonly tokenDigest: string;
}

/** A stored password reset link, with the data for the mail that contains the link. */
export interface StoredResetLink {
  readonly tokenDigest: string;
  readonly email: string;
  readonly realm: string;
}

/**
 * Stores a password reset link for each request whose email address belongs to an active user. Earlier links of these
 * users become invalid. All requests must have different addresses.
 */
export async function storeResetLinks(
  tx: QueueTx,
  requested: readonly RequestedResetLink[],
): Promise<StoredResetLink[]> {
  const { rows } = await tx.query<StoredResetLink>(
    `WITH stored AS (
       INSERT INTO password_resets (user_id, token_digest, account_digest, expires_at)
       SELECT u.id, asked.digest, ${passwordAndEmailDigestSql}, now() + make_interval(hours => ${resetLinkLifetimeHours})
       FROM unnest($1::int[], $2::text[], $3::text[]) AS asked (realm_id, email_key, digest)
         JOIN realms r ON r.id = asked.realm_id AND NOT r.deactivated
         JOIN users u ON u.realm_id = r.id AND u.delivery_email_key = asked.email_key
       WHERE u.is_active AND u.bot_type IS NULL ORDER BY u.id
       ON CONFLICT (user_id) DO UPDATE SET token_digest = excluded.token_digest,
         account_digest = excluded.account_digest, expires_at = excluded.expires_at
       RETURNING user_id, token_digest)
     SELECT s.token_digest AS "tokenDigest", u.delivery_email AS email, r.name AS realm
     FROM stored s JOIN users u ON u.id = s.user_id JOIN realms r ON r.id = u.realm_id`,
    [
      requested.map(({ realmId }) => realmId),
      requested.map(({ emailKey }) => emailKey),
      requested.map(({ tokenDigest }) => tokenDigest),
    ],
  );
  return rows;
}

/** Returns the email address of the account whose password a link can reset, or null if the link is invalid. */
export async function findPasswordResetEmail(tx: Tx, realmId: number, digest: string): Promise<string | null> {
  const { rows } = await tx.query<{ email: string }>(
    `SELECT u.delivery_email AS email FROM password_resets p, users u WHERE p.token_digest = $2 AND ${isResetLinkUsableSql}`,
    [realmId, digest],
  );
  return rows[0]?.email ?? null;
}

/**
 * Sets the password of the account that a password reset link belongs to, and deletes the account's sessions and the
 * link.
 *
 * @returns the id of the account; null if the link is invalid
 */
export async function setPasswordWithResetLink(
  tx: Tx,
  realmId: number,
  digest: string,
  passwordHash: string,
): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `UPDATE users u SET password_hash = $3 FROM password_resets p WHERE p.token_digest = $2 AND ${isResetLinkUsableSql}
     RETURNING u.id`,
    [realmId, digest, passwordHash],
  );
  const id = rows[0]?.id;
  if (id === undefined) return null;
  await tx.query('DELETE FROM password_resets WHERE user_id = $1', [id]);
  await tx.query('DELETE FROM sessions WHERE user_id = $1', [id]);
  return id;
}
