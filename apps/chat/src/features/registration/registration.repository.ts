import type { Tx } from '@switchboard/database';
import { ActorRights, actorRightsColumns, type ActorRightsRow } from '../../core/access/actor-rights.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { createBadRequestError } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { canActorInviteToRole } from '../invitations/index.js';

/** A pending invitation that was found by the token in the invitation link. */
export interface OpenInvitation {
  readonly id: number;
  readonly inviterId: number;
  readonly inviter: string;
  /** Invited email address; null if the link is reusable. */
  readonly email: string | null;
  readonly invitedAs: number;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includesDefaultChannels: boolean;
  readonly notifiesInviter: boolean;
  readonly welcomeText: string | null;
}

const createOpenInvitationSql = (alias: string): string =>
  `${alias}.status = 'pending' AND (${alias}.expires_at IS NULL OR ${alias}.expires_at > now())`;

/**
 * Returns the invitation to which a link belongs. Returns null if the link is no longer valid, or the inviter may no
 * longer invite users to the invitation's role.
 *
 * @param lock true to lock the invitation until the transaction ends
 */
export async function findOpenInvitation(
  tx: SqlQueryRunner,
  realmId: number,
  digest: string,
  lock = false,
): Promise<OpenInvitation | null> {
  const { rows } = await tx.query<OpenInvitation & ActorRightsRow & { isMultiuse: boolean }>(
    `SELECT ${actorRightsColumns}, i.email IS NULL OR i.parent_id IS NOT NULL AS "isMultiuse", i.id, i.inviter_id AS "inviterId", u.full_name AS inviter, i.email, i.invited_as AS "invitedAs",
       i.channel_ids AS "channelIds", i.group_ids AS "groupIds", i.welcome_text AS "welcomeText",
       i.includes_default_channels AS "includesDefaultChannels", i.notifies_inviter AS "notifiesInviter"
     FROM invitations i JOIN users u ON u.id = i.inviter_id
     WHERE i.realm_id = $1 AND i.token_digest = $2 AND u.is_active AND ${createOpenInvitationSql('i')}
       AND (i.parent_id IS NULL OR EXISTS (SELECT 1 FROM invitations p WHERE p.id = i.parent_id AND ${createOpenInvitationSql('p')}))
     ${lock ? 'FOR UPDATE OF i' : ''}`,
    [realmId, digest],
  );
  const [row] = rows;
  return row !== undefined && canActorInviteToRole(new ActorRights(row), row) ? row : null;
}

/** Creates an invitation for one visitor of a reusable link, valid for a day. */
export async function addVisitorInvitation(
  tx: Tx,
  linkId: number,
  visitor: { readonly email: string; readonly digest: string; readonly sealed: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO invitations (realm_id, inviter_id, parent_id, email, email_key, invited_as, channel_ids, group_ids,
       includes_default_channels, notifies_inviter, welcome_text, token_digest, token_sealed, expires_at)
     SELECT realm_id, inviter_id, id, $2, $3, invited_as, channel_ids, group_ids,
       includes_default_channels, notifies_inviter, welcome_text, $4, $5, now() + interval '1 day'
     FROM invitations WHERE id = $1`,
    [linkId, visitor.email, normalizeTextForComparison(visitor.email), visitor.digest, visitor.sealed],
  );
}

/**
 * Marks an invitation as accepted, and revokes other invitations of the same address.
 *
 * @returns ids of the inviters of all these invitations
 */
export async function markInvitationAccepted(tx: Tx, realmId: number, id: number, email: string): Promise<number[]> {
  const { rows } = await tx.query<{ inviter_id: number }>(
    `WITH ended AS (UPDATE invitations SET status = CASE WHEN id = $2 THEN 'accepted' ELSE 'revoked' END
       WHERE realm_id = $1 AND status = 'pending' AND (id = $2 OR email_key = $3) RETURNING inviter_id)
     SELECT DISTINCT inviter_id FROM ended`,
    [realmId, id, normalizeTextForComparison(email)],
  );
  return rows.map((row) => row.inviter_id);
}

/** Locks the channels of an invitation, except archived channels, and returns the ids of the locked channels. */
export async function listInvitedChannels(tx: Tx, realmId: number, ids: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM channels WHERE realm_id = $1 AND id = ANY($2) AND NOT is_archived ORDER BY id FOR SHARE',
    [realmId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Adds an account to the user groups of an invitation, in one statement. Deactivated groups are skipped. */
export async function addAccountToInvitedGroups(
  tx: Tx,
  realmId: number,
  userId: number,
  ids: readonly number[],
): Promise<void> {
  await tx.query(
    `INSERT INTO user_group_members (group_id, user_id)
     SELECT id, $2 FROM user_groups WHERE realm_id = $1 AND id = ANY($3) AND kind = 'named' AND NOT deactivated
     ON CONFLICT DO NOTHING`,
    [realmId, userId, ids],
  );
}

export async function listDefaultChannelGroupNames(tx: SqlQueryRunner, realmId: number): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    'SELECT name FROM default_channel_groups WHERE realm_id = $1 ORDER BY name COLLATE "C"',
    [realmId],
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns the ids of the channels of the default channel group with the given name. Returns an empty list for an empty
 * name.
 *
 * @throws ApplicationError BAD_REQUEST if no group has the name
 */
export async function listDefaultGroupChannelIds(tx: SqlQueryRunner, realmId: number, name: string): Promise<number[]> {
  if (name === '') return [];
  const { rows } = await tx.query<{ ids: number[] }>(
    `SELECT ARRAY(SELECT channel_id FROM default_channel_group_channels WHERE group_id = g.id) AS ids
     FROM default_channel_groups g WHERE g.realm_id = $1 AND g.name = $2`,
    [realmId, name],
  );
  const [row] = rows;
  if (row === undefined) throw createBadRequestError(`Invalid default channel group ${name}`);
  return row.ids;
}
