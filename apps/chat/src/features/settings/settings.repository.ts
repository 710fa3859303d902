import type { Tx } from '@switchboard/database';
import { getEffectiveUserSettings } from '../../core/users/index.js';
import type { NewUserDefaultSettingValues, StoredUserSettingValues } from './parse-setting-values.js';
import { lockRealm } from '../../core/database-locks.js';

/** A changed user setting with the new value, and the ids of the users whose setting changed. */
export interface ChangedSetting {
  readonly property: string;
  readonly value: string | number | boolean;
  readonly userIds: readonly number[];
}

/** An account whose settings are about to change and whose row is locked. */
export interface SettingsOwner {
  readonly id: number;
  readonly deliveryEmail: string;
  readonly emailVisibility: number;
  readonly isBot: boolean;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
}

/**
 * Locks the rows of the given accounts before the settings of the accounts change. Locks in the order of ids, and
 * returns the locked accounts.
 *
 * @param options `activeOnly`: true to omit deactivated accounts
 */
export async function lockAccountsForSettingsChange(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
  options: { readonly activeOnly: boolean },
): Promise<SettingsOwner[]> {
  const { rows } = await tx.query<SettingsOwner>(
    `SELECT id, delivery_email AS "deliveryEmail", email_address_visibility AS "emailVisibility",
       bot_type IS NOT NULL AS "isBot", avatar_source AS "avatarSource", avatar_version AS "avatarVersion"
     FROM users WHERE realm_id = $1 AND id = ANY($2::bigint[]) AND (is_active OR NOT $3) AND NOT is_system_bot
     ORDER BY id FOR NO KEY UPDATE`,
    [realmId, userIds, options.activeOnly],
  );
  return rows;
}

/**
 * Changes settings of locked accounts, in one statement.
 * @param options `byOwner`: true to record that the user changed the settings; `skipsEdited`: true to leave settings
 *   unchanged that the user has changed before
 * @returns the changed settings with their accounts
 */
export async function changeUserSettings(
  tx: Tx,
  userIds: readonly number[],
  values: StoredUserSettingValues,
  options: { readonly byOwner: boolean; readonly skipsEdited: boolean },
): Promise<ChangedSetting[]> {
  const { rows } = await tx.query<{ property: string; value: string | number | boolean; user_ids: number[] }>(
    { name: 'change-settings', text: changeSettingsSql },
    [
      userIds,
      JSON.stringify(values),
      JSON.stringify(getEffectiveUserSettings({})),
      options.byOwner,
      options.skipsEdited,
    ],
  );
  return rows.map(({ property, value, user_ids: ids }) => ({ property, value, userIds: ids }));
}

/**
 * SQL that changes user settings. The time zone and the email visibility are separate columns, because other statements
 * use these settings.
 */
const changeSettingsSql = `
  WITH wanted AS (SELECT key, value FROM jsonb_each($2)),
  different AS (
    SELECT u.id, w.key, w.value FROM users u CROSS JOIN wanted w
    WHERE u.id = ANY($1::int[])
      AND w.value IS DISTINCT FROM ($3::jsonb || u.settings || jsonb_build_object(
        'timezone', u.timezone, 'email_address_visibility', u.email_address_visibility)) -> w.key
      AND NOT ($5 AND w.key = ANY(u.edited_settings))
  ), change AS (
    SELECT id, jsonb_object_agg(key, value) AS settings, array_agg(key) AS names FROM different GROUP BY id
  ), changed AS (
    UPDATE users u SET
      settings = u.settings || (change.settings - 'timezone' - 'email_address_visibility'),
      timezone = coalesce(change.settings ->> 'timezone', u.timezone),
      email_address_visibility =
        coalesce((change.settings ->> 'email_address_visibility')::int, u.email_address_visibility),
      edited_settings = CASE WHEN $4
        THEN ARRAY(SELECT DISTINCT unnest(u.edited_settings || change.names) ORDER BY 1) ELSE u.edited_settings END
    FROM change WHERE u.id = change.id
  )
  SELECT key AS property, value, array_agg(id ORDER BY id) AS user_ids FROM different GROUP BY key, value ORDER BY key`;

/**
 * Lists the active members of user groups and their subgroups, in one statement. Returns null if one of the groups does
 * not exist or is deactivated.
 */
export async function listActiveGroupMembers(
  tx: Tx,
  realmId: number,
  groupIds: readonly number[],
): Promise<number[] | null> {
  const { rows } = await tx.query<{ found: number; user_ids: number[] }>(
    `WITH RECURSIVE named AS (
       SELECT id FROM user_groups WHERE realm_id = $1 AND id = ANY($2::bigint[]) AND name IS NOT NULL AND NOT deactivated
     ), reached(id) AS (
       SELECT id FROM named
       UNION
       SELECT s.subgroup_id FROM user_group_subgroups s JOIN reached r ON s.group_id = r.id
     )
     SELECT (SELECT count(*) FROM named) AS found, ARRAY(
       SELECT DISTINCT u.id FROM user_group_members m JOIN reached r ON m.group_id = r.id
       JOIN users u ON u.id = m.user_id AND u.is_active ORDER BY u.id) AS user_ids`,
    [realmId, groupIds],
  );
  const [row] = rows;
  return row === undefined || row.found !== new Set(groupIds).size ? null : row.user_ids;
}

/** Changes the default settings of a realm's new users. Returns the settings whose value changed. */
export async function changeDefaultUserSettings(
  tx: Tx,
  realmId: number,
  values: NewUserDefaultSettingValues,
): Promise<NewUserDefaultSettingValues> {
  await lockRealm(tx, realmId);
  const initial = { ...getEffectiveUserSettings({}), email_address_visibility: 1 };
  const { rows } = await tx.query<{ changed: NewUserDefaultSettingValues | null }>(
    `WITH different AS (
       SELECT w.key, w.value FROM realms r CROSS JOIN jsonb_each($2) w
       WHERE r.id = $1 AND w.value IS DISTINCT FROM ($3::jsonb || r.user_settings_defaults) -> w.key
     ), changed AS (
       UPDATE realms SET user_settings_defaults = user_settings_defaults
         || (SELECT jsonb_object_agg(key, value) FROM different)
       WHERE id = $1 AND EXISTS (SELECT 1 FROM different)
     )
     SELECT jsonb_object_agg(key, value) AS changed FROM different`,
    [realmId, JSON.stringify(values), JSON.stringify(initial)],
  );
  return rows[0]?.changed ?? {};
}
