import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../access/sql-reader.js';
import type { PresenceRecord } from './presence-record.js';

/** Any number that no other advisory lock of this service uses as its first key. */
const presenceLock = 992_132;

/** `presences p` with `users u`, as records. */
const columns = `u.id, u.delivery_email AS "deliveryEmail", u.email_address_visibility AS "emailVisibility",
  u.bot_type IS NOT NULL AS "isBot", coalesce(floor(extract(epoch FROM p.last_active_at)), 0)::bigint AS active,
  floor(extract(epoch FROM p.last_connected_at))::bigint AS connected`;

/** Who is shown to others: those who are active and want to be. */
const shown = `u.is_active AND coalesce((u.settings ->> 'presence_enabled')::boolean, true)`;

/** As one JSON object. */
export const presenceJson = `(SELECT json_build_object(
  'presences', (SELECT json_agg(shown) FROM (SELECT ${columns}
    FROM presences p JOIN users u ON u.id = p.user_id WHERE p.realm_id = $1 AND ${shown} ORDER BY u.id) shown),
  'lastId', (SELECT coalesce(max(update_id), -1) FROM presences WHERE realm_id = $1)))`;

/** Which presences are asked for. */
export interface PresenceSelection {
  /** Those that changed after this one. */
  readonly afterId: number;
  readonly days: number;
}

/** The presences of a realm that others may see, by user, with the number of the newest: one statement. */
export async function listPresences(
  tx: SqlReader,
  realmId: number,
  { afterId, days }: PresenceSelection,
): Promise<{ readonly presences: PresenceRecord[]; readonly lastId: number }> {
  const { rows } = await tx.query<PresenceRecord & { last_id: number }>(
    `SELECT ${columns}, (SELECT max(update_id) FROM presences WHERE realm_id = $1) AS last_id
     FROM presences p JOIN users u ON u.id = p.user_id
     WHERE p.realm_id = $1 AND p.update_id > $2 AND p.last_connected_at >= now() - make_interval(days => $3)
       AND ${shown} ORDER BY u.id`,
    [realmId, afterId, days],
  );
  return {
    presences: rows.map(({ last_id: _last, ...presence }) => presence),
    lastId: rows[0]?.last_id ?? afterId,
  };
}

/** The presence of one account; null when it has none that others may see. */
export async function findPresence(tx: SqlReader, userId: number): Promise<PresenceRecord | null> {
  const { rows } = await tx.query<PresenceRecord>(
    `SELECT ${columns} FROM presences p JOIN users u ON u.id = p.user_id WHERE p.user_id = $1 AND ${shown}`,
    [userId],
  );
  return rows[0] ?? null;
}

/** What a report has changed. */
export interface ReportedPresence {
  readonly presence: PresenceRecord;
  /** UNIX seconds of the last time that the user was at a client before; 0: never. */
  readonly activeBefore: number;
  /** Whether the realm is small enough for everybody to hear of it. */
  readonly isTold: boolean;
}

/**
 * Keeps that a client of a user is there, and with `isActive` the user, too; null where the user does not want to be
 * seen. Numbers are given out one transaction after the other, so that nobody who asks for what came after a number
 * misses one that was given earlier and committed later.
 */
export async function reportPresence(
  tx: Tx,
  user: { readonly id: number; readonly realmId: number },
  isActive: boolean,
): Promise<ReportedPresence | null> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [presenceLock, user.realmId]);
  const { rows } = await tx.query<PresenceRecord & { active_before: number; is_told: boolean }>(
    `WITH before AS (SELECT last_active_at FROM presences WHERE user_id = $1), p AS (
       INSERT INTO presences AS p (user_id, realm_id, last_active_at, last_connected_at, update_id)
       SELECT id, realm_id, CASE WHEN $2 THEN now() END, now(), nextval('presence_update_ids')
       FROM users u WHERE u.id = $1 AND ${shown}
       ON CONFLICT (user_id) DO UPDATE SET last_connected_at = excluded.last_connected_at,
         last_active_at = coalesce(excluded.last_active_at, p.last_active_at), update_id = excluded.update_id
       RETURNING p.*)
     SELECT ${columns},
       coalesce((SELECT floor(extract(epoch FROM last_active_at)) FROM before), 0)::bigint AS active_before,
       (SELECT count(*) FROM (SELECT 1 FROM users o WHERE o.realm_id = u.realm_id AND o.is_active LIMIT 101) o) <= 100
         AS is_told
     FROM p JOIN users u ON u.id = p.user_id`,
    [user.id, isActive],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { active_before: activeBefore, is_told: isTold, ...presence } = row;
  return { presence, activeBefore, isTold };
}
