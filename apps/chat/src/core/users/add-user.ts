import type { Tx } from '@switchboard/database';
import type { ApiKeyStore } from '../access/api-keys.js';
import { assignUsersToRoleGroups } from '../user-groups/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';

/** An account to be created. Absent properties get default values. */
export interface NewUser {
  readonly realmId: number;
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  /** Hash of the password by `hashPassword`; null for accounts that sign in without a password. */
  readonly passwordHash: string | null;
  readonly emailVisibility?: number;
  readonly botType?: number;
  readonly botOwnerId?: number;
  readonly isSystemBot?: boolean;
  /** True if another user creates the account. The first sign-in then replaces the join date (chat-2.1-5). */
  readonly awaitsFirstLogin?: boolean;
  readonly timezone?: string;
}

/**
 * Creates an account with an API key, and adds the account to the system group of its role. The caller emits the event.
 *
 * @returns the user id
 * @throws a unique violation of the database when the address is taken in this realm
 */
export async function addUser(tx: Tx, apiKeys: ApiKeyStore, user: NewUser): Promise<number> {
  // The key is encrypted for the id of its row, so the id is created first.
  const { rows } = await tx.query<{ id: number }>("SELECT nextval(pg_get_serial_sequence('users', 'id')) AS id");
  const id = rows[0]?.id ?? 0;
  const key = apiKeys.create(id);
  await tx.query(
    `INSERT INTO users (id, realm_id, delivery_email, delivery_email_key, full_name, role, password_hash,
       email_address_visibility, settings, bot_type, bot_owner_id, is_system_bot, timezone,
       api_key_sealed, api_key_digest, api_key_pepper_id, awaits_first_login)
     SELECT $1, r.id, $3, $4, $5, $6, $7,
       coalesce($8::int, (r.user_settings_defaults ->> 'email_address_visibility')::int, 1),
       jsonb_strip_nulls(r.user_settings_defaults - 'email_address_visibility'), $9, $10, $11, $12, $13, $14, $15,
       $16
     FROM realms r WHERE r.id = $2`,
    [
      id,
      user.realmId,
      user.email,
      normalizeTextForComparison(user.email),
      user.fullName,
      user.role,
      user.passwordHash,
      user.emailVisibility ?? null,
      user.botType ?? null,
      user.botOwnerId ?? null,
      user.isSystemBot ?? false,
      user.timezone ?? '',
      key.sealed,
      key.digest,
      key.pepperId,
      user.awaitsFirstLogin ?? false,
    ],
  );
  if (user.isSystemBot !== true) await assignUsersToRoleGroups(tx, user.realmId, [id]);
  return id;
}
