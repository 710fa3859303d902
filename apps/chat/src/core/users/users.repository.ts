import type { Tx } from '@switchboard/database';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { isRealmOfHostSql } from '../realms/index.js';
import type { UserRecord } from './wire-user.js';

interface UserAccountRow {
  id: number;
  delivery_email: string;
  email_address_visibility: number;
  full_name: string;
  date_joined: string;
  is_active: boolean;
  is_deleted: boolean;
  is_imported_stub: boolean;
  is_system_bot: boolean;
  bot_type: number | null;
  bot_owner_id: number | null;
  role: number;
  timezone: string;
  avatar_source: string;
  avatar_version: number;
  profile_data?: UserRecord['profileData'] | null;
}

/** SQL expression of the join date `users.date_joined` in the format of the API. */
export const dateJoinedSql = `to_char(date_joined AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`;

const userAccountColumnsSql = `id, delivery_email, email_address_visibility, full_name,
  ${dateJoinedSql} AS date_joined,
  is_active, is_deleted, is_imported_stub, is_system_bot, bot_type, bot_owner_id, role, timezone,
  avatar_source, avatar_version`;

/** SQL join that reads the custom profile values of all accounts together. */
const joinCustomProfileValuesSql = `LEFT JOIN (
       SELECT user_id, json_object_agg(field_id, json_strip_nulls(
         json_build_object('value', value, 'rendered_value', rendered_value))) AS profile_data
       FROM profile_values GROUP BY user_id
     ) said ON said.user_id = users.id`;

/** SQL subquery that reads the custom profile values of one account. */
const selectOwnProfileValuesSql = `(SELECT json_object_agg(field_id, json_strip_nulls(
  json_build_object('value', value, 'rendered_value', rendered_value)))
  FROM profile_values WHERE user_id = users.id) AS profile_data`;

/**
 * Lists the accounts of a realm in the order of their ids, including system bots.
 *
 * @param userIds ids of the accounts to list; null for all. The two cases are separate statements, because they need
 * different plans.
 * @param options `customFields`: true to read custom profile values too
 */
export async function listUsers(
  tx: SqlQueryRunner,
  realmId: number,
  userIds: readonly number[] | null,
  options: { readonly customFields?: boolean } = {},
): Promise<UserRecord[]> {
  const withFields = options.customFields === true;
  const { rows } =
    userIds === null
      ? await tx.query<UserAccountRow>(
          `SELECT ${userAccountColumnsSql}${withFields ? ', said.profile_data' : ''}
           FROM users ${withFields ? joinCustomProfileValuesSql : ''} WHERE realm_id = $1 ORDER BY id`,
          [realmId],
        )
      : await tx.query<UserAccountRow>(
          `SELECT ${userAccountColumnsSql}${withFields ? `, ${selectOwnProfileValuesSql}` : ''}
           FROM users WHERE realm_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
          [realmId, userIds],
        );
  return rows.map(toUserRecord);
}

/**
 * Lists up to `limit` accounts of a realm with ids greater than `after`, ordered by id. Returns the same data as
 * {@link listUsers}.
 */
export async function listUsersAfter(
  tx: SqlQueryRunner,
  realmId: number,
  { after, limit, customFields }: { readonly after: number; readonly limit: number; readonly customFields: boolean },
): Promise<UserRecord[]> {
  const { rows } = await tx.query<UserAccountRow>(
    `SELECT ${userAccountColumnsSql}${customFields ? `, ${selectOwnProfileValuesSql}` : ''} FROM users
     WHERE realm_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    [realmId, after, limit],
  );
  return rows.map(toUserRecord);
}

/** Returns the realm to which requests for the given host belong if the realm allows spectators, otherwise null. */
export async function findRealmThatAllowsSpectators(
  tx: SqlQueryRunner,
  host: string,
): Promise<{ readonly id: number; readonly fakeEmailDomain: string } | null> {
  const { rows } = await tx.query<{ id: number; fakeEmailDomain: string }>(
    `SELECT r.id, r.fake_email_domain AS "fakeEmailDomain" FROM realms r
     WHERE ${isRealmOfHostSql('$1')} AND NOT r.deactivated AND (r.settings ->> 'enable_spectator_access')::boolean`,
    [host],
  );
  return rows[0] ?? null;
}

/**
 * Locks an account that a transaction changes. Returns null if the account does not exist or belongs to a system bot,
 * which cannot be changed.
 */
export async function lockUser(tx: Tx, realmId: number, userId: number): Promise<UserRecord | null> {
  const { rows } = await tx.query<UserAccountRow>(
    `SELECT ${userAccountColumnsSql} FROM users WHERE realm_id = $1 AND id = $2::bigint AND NOT is_system_bot
     FOR NO KEY UPDATE`,
    [realmId, userId],
  );
  const [row] = rows;
  return row === undefined ? null : toUserRecord(row);
}

/** Counts the active owners of a realm, without bots. The caller must have locked the realm membership. */
export async function countActiveRealmOwners(tx: SqlQueryRunner, realmId: number): Promise<number> {
  const { rows } = await tx.query<{ owners: number }>(
    `SELECT count(*) AS owners FROM users WHERE realm_id = $1 AND role = ${userRoleNumbers.owner} AND is_active AND bot_type IS NULL`,
    [realmId],
  );
  return rows[0]?.owners ?? 0;
}

/** Returns the id of the newest message that a user received, or -1 for a user without messages. */
export async function getNewestReceivedMessageId(tx: SqlQueryRunner, userId: number): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT coalesce(max(message_id), -1) AS id FROM user_messages WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.id ?? -1;
}

function toUserRecord(row: UserAccountRow): UserRecord {
  return {
    id: row.id,
    deliveryEmail: row.delivery_email,
    emailVisibility: row.email_address_visibility,
    fullName: row.full_name,
    dateJoined: row.date_joined,
    isActive: row.is_active,
    isDeleted: row.is_deleted,
    isImportedStub: row.is_imported_stub,
    isSystemBot: row.is_system_bot,
    isBot: row.bot_type !== null,
    botType: row.bot_type,
    botOwnerId: row.bot_owner_id,
    role: row.role,
    timezone: row.timezone,
    avatarSource: row.avatar_source,
    avatarVersion: row.avatar_version,
    ...(row.profile_data !== undefined && row.profile_data !== null && { profileData: row.profile_data }),
  };
}
