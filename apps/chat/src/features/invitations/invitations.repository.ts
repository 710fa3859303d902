import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { InvitationToken } from './invitation-tokens.js';

/** Properties of an invitation: its role, channels, groups and lifetime. */
export interface InvitationGrantsAndLifetime {
  readonly realmId: number;
  readonly inviterId: number;
  readonly invitedAs: number;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includesDefaultChannels: boolean;
  readonly notifiesInviter: boolean;
  /** Markdown of the welcome message for the invited user; null for the welcome message of the realm. */
  readonly welcomeText: string | null;
  /** Lifetime of the invitation in minutes; null for an invitation that does not expire. */
  readonly expiresInMinutes: number | null;
}

/** A pending invitation as read from the database. */
export interface InvitationRow {
  readonly id: number;
  readonly inviterId: number;
  /** Invited email address; null for a reusable invitation link. */
  readonly email: string | null;
  readonly invitedAs: number;
  readonly notifiesInviter: boolean;
  readonly tokenSealed: string;
  /** Time at which the invitation was created, in UNIX seconds. */
  readonly invitedAt: number;
  /** Time at which the invitation expires, in UNIX seconds; null if it does not expire. */
  readonly expiresAt: number | null;
}

const invitationColumns = `i.id, i.inviter_id AS "inviterId", i.email, i.invited_as AS "invitedAs",
  i.notifies_inviter AS "notifiesInviter", i.token_sealed AS "tokenSealed",
  extract(epoch FROM i.invited_at)::int AS "invitedAt", extract(epoch FROM i.expires_at)::int AS "expiresAt"`;

/**
 * SQL condition on `invitations i` that an invitation is pending: not used, revoked or expired, and created by a user.
 * The condition excludes rows with a `parent_id`, which are created when visitors use a reusable link.
 */
const isInvitationPendingSql = `i.status = 'pending' AND i.parent_id IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())`;

/**
 * Inserts invitations in one SQL statement: one invitation per email address. A null address creates a reusable link.
 */
export async function addInvitations(
  tx: Tx,
  terms: InvitationGrantsAndLifetime,
  invited: readonly { readonly email: string | null; readonly token: InvitationToken }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO invitations (realm_id, inviter_id, invited_as, channel_ids, group_ids, includes_default_channels,
       notifies_inviter, welcome_text, expires_at, email, email_key, token_digest, token_sealed)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(mins => $9), *
     FROM unnest($10::text[], $11::text[], $12::text[], $13::text[])`,
    [
      terms.realmId,
      terms.inviterId,
      terms.invitedAs,
      terms.channelIds,
      terms.groupIds,
      terms.includesDefaultChannels,
      terms.notifiesInviter,
      terms.welcomeText,
      terms.expiresInMinutes,
      invited.map(({ email }) => email),
      invited.map(({ email }) => (email === null ? null : normalizeTextForComparison(email))),
      invited.map(({ token }) => token.digest),
      invited.map(({ token }) => token.sealed),
    ],
  );
}

/**
 * Lists pending invitations, oldest first.
 * @param inviterId null for all inviters
 */
export async function listInvitations(
  tx: SqlQueryRunner,
  realmId: number,
  inviterId: number | null,
): Promise<InvitationRow[]> {
  const { rows } = await tx.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations i
     WHERE i.realm_id = $1${inviterId === null ? '' : ' AND i.inviter_id = $2'} AND ${isInvitationPendingSql} ORDER BY i.id`,
    inviterId === null ? [realmId] : [realmId, inviterId],
  );
  return rows;
}

/** Locks a pending invitation until the transaction ends. Returns null if no pending invitation matches. */
export async function lockInvitation(
  tx: Tx,
  realmId: number,
  id: number,
  isMultiuse: boolean,
): Promise<InvitationRow | null> {
  const { rows } = await tx.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations i
     WHERE i.realm_id = $1 AND i.id = $2::bigint AND (i.email IS NULL) = $3 AND ${isInvitationPendingSql} FOR UPDATE`,
    [realmId, id, isMultiuse],
  );
  return rows[0] ?? null;
}

/** Revokes an invitation. Also revokes the invitations that visitors created with the invitation's reusable link. */
export async function revokeInvitation(tx: Tx, id: number): Promise<void> {
  await tx.query("UPDATE invitations SET status = 'revoked' WHERE (id = $1 OR parent_id = $1) AND status = 'pending'", [
    id,
  ]);
}

/**
 * Revokes earlier invitations of these addresses, because only the newest invitation is valid.
 *
 * @returns ids of the inviters
 */
export async function revokeEarlierInvitations(tx: Tx, realmId: number, emails: readonly string[]): Promise<number[]> {
  const { rows } = await tx.query<{ inviter_id: number }>(
    `WITH replaced AS (UPDATE invitations SET status = 'revoked'
       WHERE realm_id = $1 AND email_key = ANY($2) AND parent_id IS NULL AND status = 'pending' RETURNING inviter_id)
     SELECT DISTINCT inviter_id FROM replaced`,
    [realmId, emails.map((email) => normalizeTextForComparison(email))],
  );
  return rows.map((row) => row.inviter_id);
}

/**
 * Revokes all invitations that the given accounts have sent. Returns the ids of the accounts that had pending
 * invitations.
 */
export async function revokeInvitationsOfAccounts(tx: Tx, inviterIds: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ inviter_id: number }>(
    `WITH revoked AS (UPDATE invitations SET status = 'revoked'
       WHERE inviter_id = ANY($1) AND status = 'pending' RETURNING inviter_id)
     SELECT DISTINCT inviter_id FROM revoked`,
    [inviterIds],
  );
  return rows.map((row) => row.inviter_id);
}

/**
 * Replaces an email address in used and revoked invitations. Called after the profile of the address's owner was
 * deleted.
 */
export async function replaceAddressInOldInvitations(
  tx: Tx,
  realmId: number,
  address: string,
  replacement: string,
): Promise<void> {
  await tx.query(
    `UPDATE invitations SET email = $3, email_key = $4
     WHERE realm_id = $1 AND email_key = $2 AND status <> 'pending'`,
    [realmId, normalizeTextForComparison(address), replacement, normalizeTextForComparison(replacement)],
  );
}

/**
 * Returns the number of email addresses that were invited within the last day, including revoked and accepted
 * invitations. The caller must have locked the row of the realm.
 */
export async function countAddressesInvitedWithinDay(tx: Tx, realmId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM invitations
     WHERE realm_id = $1 AND email IS NOT NULL AND invited_at > now() - interval '1 day'`,
    [realmId],
  );
  return rows[0]?.count ?? 0;
}
