import type { SqlReader } from '../../access/sql-reader.js';
import type { UserRecord } from './wire-user.js';

interface UserRow {
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
}

/** Every account of a realm, system bots included, by id; only these where `userIds` is given. */
export async function listUsers(
  tx: SqlReader,
  realmId: number,
  userIds: readonly number[] | null,
): Promise<UserRecord[]> {
  const { rows } = await tx.query<UserRow>(
    `SELECT id, delivery_email, email_address_visibility, full_name,
       to_char(date_joined AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') AS date_joined,
       is_active, is_deleted, is_imported_stub, is_system_bot, bot_type, bot_owner_id, role, timezone,
       avatar_source, avatar_version
     FROM users WHERE realm_id = $1 AND ($2::bigint[] IS NULL OR id = ANY($2)) ORDER BY id`,
    [realmId, userIds],
  );
  return rows.map(recordOf);
}

/** The newest message in the user's history; -1 when there is none. */
export async function maxMessageId(tx: SqlReader, userId: number): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT coalesce(max(message_id), -1) AS id FROM user_messages WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.id ?? -1;
}

function recordOf(row: UserRow): UserRecord {
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
  };
}
