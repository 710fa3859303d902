import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { offlineAfterSeconds, type PresenceRecord } from './presence-formats.js';

/** SQL select list of the columns of {@link PresenceRecord}, from the tables `presences p` and `users u`. */
const presenceColumns = `u.id, u.delivery_email AS "deliveryEmail", u.email_address_visibility AS "emailVisibility",
  u.bot_type IS NOT NULL AS "isBot", coalesce(floor(extract(epoch FROM p.last_active_at)), 0)::bigint AS active,
  floor(extract(epoch FROM p.last_connected_at))::bigint AS connected`;

/** SQL condition that the presence of the user `u` is visible: the account is active and shares its presence. */
const isPresenceVisibleSql = `u.is_active AND coalesce((u.settings ->> 'presence_enabled')::boolean, true)`;

/**
 * Lists all visible presences of a realm in the order of user ids, in one statement. Also returns the id of the realm's
 * newest presence update; -1 if none exists.
 */
export async function listAllPresences(
  tx: SqlQueryRunner,
  realmId: number,
): Promise<{ readonly presences: readonly PresenceRecord[]; readonly lastId: number }> {
  const { rows } = await tx.query<{ presences: PresenceRecord[] | null; last_id: number }>(
    `SELECT (SELECT json_agg(shown) FROM (SELECT ${presenceColumns}
        FROM presences p JOIN users u ON u.id = p.user_id WHERE p.realm_id = $1 AND ${isPresenceVisibleSql} ORDER BY u.id) shown)
      AS presences, (SELECT coalesce(max(update_id), -1) FROM presences WHERE realm_id = $1) AS last_id`,
    [realmId],
  );
  return { presences: rows[0]?.presences ?? [], lastId: rows[0]?.last_id ?? -1 };
}

/** Conditions that select the presences to list. */
export interface PresenceListConditions {
  /** Id of a presence update. Only presences with a later update are listed. */
  readonly afterId: number;
  readonly days: number;
}

/**
 * Lists the presences of a realm that meet the given conditions, in one statement. Also returns the id of the realm's
 * newest presence update.
 */
export async function listMatchingPresences(
  tx: SqlQueryRunner,
  realmId: number,
  { afterId, days }: PresenceListConditions,
): Promise<{ readonly presences: PresenceRecord[]; readonly lastId: number }> {
  const { rows } = await tx.query<PresenceRecord & { last_id: number }>(
    `SELECT ${presenceColumns}, (SELECT max(update_id) FROM presences WHERE realm_id = $1) AS last_id
     FROM presences p JOIN users u ON u.id = p.user_id
     WHERE p.realm_id = $1 AND p.update_id > $2 AND p.last_connected_at >= now() - make_interval(days => $3)
       AND ${isPresenceVisibleSql} ORDER BY u.id`,
    [realmId, afterId, days],
  );
  return {
    presences: rows.map(({ last_id: _last, ...presence }) => presence),
    lastId: rows[0]?.last_id ?? afterId,
  };
}

/** Returns the presence of an account; null if the account has no presence or hides the presence. */
export async function findPresence(tx: SqlQueryRunner, userId: number): Promise<PresenceRecord | null> {
  const { rows } = await tx.query<PresenceRecord>(
    `SELECT ${presenceColumns} FROM presences p JOIN users u ON u.id = p.user_id WHERE p.user_id = $1 AND ${isPresenceVisibleSql}`,
    [userId],
  );
  return rows[0] ?? null;
}

/** A user's report that a client is connected. */
export interface StoredPresenceReport {
  readonly userId: number;
  /** True if the user is active; false if only a client is connected. */
  readonly isActive: boolean;
}

/** SQL condition that a realm is small enough for presence events: the realm has at most 100 active users. */
const isSmallRealmSql = `(SELECT count(*) FROM (
  SELECT 1 FROM users o WHERE o.realm_id = $1 AND o.is_active LIMIT 101) o) <= 100`;

/**
 * Writes presence reports of one realm, except for accounts that hide their presence. The statement locks the counter
 * of the realm's presence updates until the transaction ends, so the call should be the transaction's last statement.
 * See the function `record_presences` in the migrations.
 */
export async function recordPresences(
  tx: SqlQueryRunner,
  realmId: number,
  reports: readonly StoredPresenceReport[],
): Promise<void> {
  const userIds = reports.map(({ userId }) => userId);
  const active = reports.map(({ isActive }) => isActive);
  await tx.query('SELECT record_presences($1, $2, $3)', [realmId, userIds, active]);
}

/**
 * Returns the ids of given users with a visible presence who were inactive for longer than the offline threshold. The
 * list is empty unless the realm is small enough for presence events.
 */
export async function listReturningUsers(
  tx: SqlQueryRunner,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u LEFT JOIN presences p ON p.user_id = u.id
     WHERE ${isSmallRealmSql} AND u.id = ANY($2::int[]) AND ${isPresenceVisibleSql}
       AND coalesce(p.last_active_at < now() - make_interval(secs => $3), true)`,
    [realmId, userIds, offlineAfterSeconds],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Lists the visible presences of the given users, for presence events. The list is empty unless the realm is small
 * enough for presence events.
 */
export async function listPresencesToEmit(
  tx: SqlQueryRunner,
  realmId: number,
  userIds: readonly number[],
): Promise<PresenceRecord[]> {
  const { rows } = await tx.query<PresenceRecord>(
    `SELECT ${presenceColumns} FROM presences p JOIN users u ON u.id = p.user_id
     WHERE ${isSmallRealmSql} AND p.user_id = ANY($2::int[]) AND ${isPresenceVisibleSql}`,
    [realmId, userIds],
  );
  return rows;
}
