import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/**
 * Returns the SQL condition over `users u` that a guest with limited visibility sees an account. A guest with limited
 * visibility sees their own account, bots, users of shared channels, and participants of direct conversations with the
 * guest (docs/contract/chat.md 6.1).
 */
function canGuestSeeUserSql(guest: string): string {
  return `(u.id = ${guest} OR u.bot_type IS NOT NULL
    OR EXISTS (SELECT 1 FROM subscriptions own JOIN subscriptions other ON other.channel_id = own.channel_id
      JOIN channels c ON c.id = own.channel_id AND NOT c.is_archived
      WHERE own.user_id = ${guest} AND own.is_active AND other.user_id = u.id AND other.is_active)
    OR EXISTS (SELECT 1 FROM recipients r WHERE r.participant_ids @> ARRAY[${guest}, u.id]))`;
}

/**
 * Returns the SQL condition that guests of a realm see fewer users than members see. The permission to see all users
 * always belongs to a system group.
 */
const isGuestVisibilityLimitedSql = (
  realm: string,
) => `EXISTS (SELECT 1 FROM realm_permissions p JOIN user_groups g ON g.id = p.group_id
  WHERE p.realm_id = ${realm} AND p.setting = 'can_access_all_users_group' AND g.name <> 'role:everyone')`;

/**
 * Returns the SQL condition over `users u` that a guest cannot see an account. Suits statements that read only a few
 * accounts.
 *
 * @param guest A parameter or expression of the guest's id, for example `$2`.
 */
export function isHiddenFromGuestSql(guest: string): string {
  return `(${isGuestVisibilityLimitedSql('u.realm_id')} AND NOT ${canGuestSeeUserSql(guest)})`;
}

/**
 * Returns the ids of the accounts that the viewer may not see. Returns an empty set, without an SQL statement, if the
 * viewer is not a guest. Reads one set of all accounts that the guest sees, instead of checking each account
 * separately.
 * @param viewer The viewer, with the current role from the database.
 */
export async function listUsersHiddenFromViewer(
  tx: SqlQueryRunner,
  viewer: Pick<ChatActor, 'id' | 'realmId' | 'role'>,
): Promise<ReadonlySet<number>> {
  if (!isGuest(viewer)) return new Set();
  const { rows } = await tx.query<{ ids: number[] }>(
    `WITH seen AS (
       SELECT other.user_id AS id FROM subscriptions own
       JOIN channels c ON c.id = own.channel_id AND NOT c.is_archived
       JOIN subscriptions other ON other.channel_id = own.channel_id AND other.is_active
       WHERE own.user_id = $2 AND own.is_active
       UNION SELECT unnest(r.participant_ids) FROM recipients r WHERE r.participant_ids @> ARRAY[$2::int]
     )
     SELECT coalesce(json_agg(u.id), '[]') AS ids FROM users u
     WHERE u.realm_id = $1 AND ${isGuestVisibilityLimitedSql('$1')} AND u.id <> $2 AND u.bot_type IS NULL
       AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.id = u.id)`,
    [viewer.realmId, viewer.id],
  );
  return new Set(rows[0]?.ids);
}

/**
 * Returns the active guests who cannot see an account, for each of the given accounts. Executes one SQL statement.
 * Omits accounts that all guests see.
 */
export async function listGuestsWithoutUserAccess(
  tx: SqlQueryRunner,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { rows } = await tx.query<{ id: number; guest_ids: number[] }>(
    `SELECT u.id, array_agg(g.id ORDER BY g.id) AS guest_ids
     FROM users u JOIN users g ON g.realm_id = u.realm_id AND g.role = 600 AND g.is_active
     WHERE u.realm_id = $1 AND u.id = ANY($2::bigint[]) AND ${isGuestVisibilityLimitedSql('$1')} AND NOT ${canGuestSeeUserSql('g.id')}
     GROUP BY u.id`,
    [realmId, userIds],
  );
  return new Map(rows.map((row) => [row.id, row.guest_ids]));
}

/**
 * Returns the active guests with limited visibility among the given users and the subscribers of the given channels.
 * Executes one SQL statement.
 */
export async function listGuestsWithLimitedVisibility(
  tx: SqlQueryRunner,
  realmId: number,
  among: { readonly channelIds: readonly number[]; readonly userIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u WHERE u.realm_id = $1 AND u.role = 600 AND u.is_active AND ${isGuestVisibilityLimitedSql('$1')}
       AND (u.id = ANY($2) OR EXISTS (SELECT 1 FROM subscriptions s
         WHERE s.user_id = u.id AND s.channel_id = ANY($3) AND s.is_active))`,
    [realmId, among.userIds, among.channelIds],
  );
  return rows.map((row) => row.id);
}

/** A user's new subscription to a channel. */
interface NewChannelSubscriptionPair {
  readonly user_id: number;
  readonly channel_id: number;
}

/**
 * Returns the accounts that new subscriptions make visible to guests with limited visibility. The result contains, for
 * each account, the guests who can now see it. Runs one statement. Must be called after the subscriptions are written.
 */
export async function listUsersBecomingVisible(
  tx: SqlQueryRunner,
  realmId: number,
  begun: readonly NewChannelSubscriptionPair[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  if (begun.length === 0) return new Map();
  const { rows } = await tx.query<{ id: number; guest_ids: number[] }>(
    `WITH begun AS (SELECT * FROM unnest($2::int[], $3::int[]) AS row(user_id, channel_id)),
     met AS (
       SELECT DISTINCT own.user_id AS guest_id, other.user_id
       FROM subscriptions own
       JOIN users g ON g.id = own.user_id AND g.realm_id = $1 AND g.role = 600 AND g.is_active
       JOIN channels c ON c.id = own.channel_id AND NOT c.is_archived
       JOIN subscriptions other ON other.channel_id = own.channel_id AND other.is_active AND other.user_id <> g.id
       WHERE own.is_active AND own.channel_id = ANY($3) AND ${isGuestVisibilityLimitedSql('$1')}
         AND EXISTS (SELECT 1 FROM begun b
           WHERE b.channel_id = own.channel_id AND b.user_id IN (own.user_id, other.user_id))
     )
     SELECT u.id, array_agg(met.guest_id ORDER BY met.guest_id) AS guest_ids
     FROM met JOIN users u ON u.id = met.user_id AND u.bot_type IS NULL
     WHERE NOT EXISTS (SELECT 1 FROM subscriptions own JOIN subscriptions other ON other.channel_id = own.channel_id
         JOIN channels c ON c.id = own.channel_id AND NOT c.is_archived
         WHERE own.user_id = met.guest_id AND own.is_active AND other.user_id = met.user_id AND other.is_active
           AND NOT EXISTS (SELECT 1 FROM begun b
             WHERE b.channel_id = own.channel_id AND b.user_id IN (met.guest_id, met.user_id)))
       AND NOT EXISTS (SELECT 1 FROM recipients r WHERE r.participant_ids @> ARRAY[met.guest_id, met.user_id])
     GROUP BY u.id`,
    [realmId, begun.map((row) => row.user_id), begun.map((row) => row.channel_id)],
  );
  return new Map(rows.map((row) => [row.id, row.guest_ids]));
}
