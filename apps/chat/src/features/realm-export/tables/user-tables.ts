import type { ExportedTable, ExportedTableRowSource } from './exported-table.js';
import { createIntegerKeyColumns } from './exported-table.js';
import { unknownExportClientId } from './realm-tables.js';
import {
  createUnixSecondsSql,
  isExportedAsAccountSql,
  createPrivateDataExportedSql,
  isExportedAsPlaceholderSql,
  createPersonalRecipientIdSql,
  publiclyShownEmailSql,
} from './export-sql-expressions.js';

/**
 * SQL expression for a JSON object with the settings of the user `u`. If the user does not consent to the export, the
 * object contains the realm's default settings.
 */
const exportedUserSettingsSql = `CASE WHEN ${createPrivateDataExportedSql('u.id')} THEN (
    SELECT jsonb_object_agg(d.key, CASE d.key WHEN 'resolved_topic_notice_auto_read_policy'
      THEN $4::jsonb -> 'resolvedTopicPolicies' -> (coalesce(u.settings -> d.key, d.value) #>> '{}')
      ELSE coalesce(u.settings -> d.key, d.value) END)
    FROM jsonb_each($4::jsonb -> 'initial') d)
  ELSE $4::jsonb -> 'shown' END`;

/**
 * SQL expression for the exported email address of the user `u`. An address that the user hides from administrators is
 * replaced by a random address.
 */
const exportedDeliveryEmailSql = `CASE WHEN u.email_address_visibility = 4 AND NOT ${createPrivateDataExportedSql('u.id')}
  THEN 'exported-user-' || replace(gen_random_uuid()::text, '-', '') || '@' || realm.fake_email_domain
  ELSE u.delivery_email END`;

const exportedUserRowSql = `${exportedUserSettingsSql} || jsonb_build_object(
    'id', u.id, 'realm', u.realm_id, 'delivery_email', ${exportedDeliveryEmailSql},
    'email', ${publiclyShownEmailSql},
    'full_name', u.full_name, 'role', u.role, 'is_active', u.is_active AND NOT (${isExportedAsPlaceholderSql}),
    'is_mirror_dummy', ${isExportedAsPlaceholderSql}, 'is_imported_stub', u.is_imported_stub, 'is_deleted', u.is_deleted,
    'is_bot', u.bot_type IS NOT NULL, 'bot_type', u.bot_type, 'bot_owner', u.bot_owner_id,
    'date_joined', ${createUnixSecondsSql('u.date_joined')}, 'last_login', ${createUnixSecondsSql('u.last_login_at')}, 'last_reminder', NULL,
    'timezone', u.timezone, 'avatar_source', u.avatar_source, 'avatar_version', u.avatar_version, 'avatar_hash', NULL,
    'email_address_visibility', u.email_address_visibility)
  || jsonb_build_object(
    'default_sending_stream', u.default_sending_channel_id,
    'default_events_register_stream', u.default_events_register_channel_id,
    'default_all_public_streams', u.default_all_public_channels,
    'can_forge_sender', u.can_forge_sender, 'can_create_users', u.can_create_users,
    'can_change_user_emails', u.can_change_user_emails, 'rate_limits', u.rate_limits,
    'is_superuser', false, 'is_staff', false, 'tos_version', NULL, 'long_term_idle', false,
    'last_active_message_id', NULL, 'third_party_api_state', '{}'::jsonb,
    'recipient', ${createPersonalRecipientIdSql('u.id')}, 'user_permissions', '[]'::jsonb, 'groups', '[]'::jsonb)`;

const createExportedUserRows = (condition: string): ExportedTableRowSource => ({
  row: exportedUserRowSql,
  from: `users u JOIN realms realm ON realm.id = u.realm_id WHERE ${isExportedAsAccountSql} AND ${condition}`,
  key: createIntegerKeyColumns('u.id'),
});

/**
 * SQL expression for the email address that the reference server (Zulip) gives to a bot that exists on every server.
 */
const systemBotEmailSql = `CASE split_part(u.delivery_email_key, '@', 1) WHEN 'welcome-bot' THEN 'welcome-bot@zulip.com'
  WHEN 'email-gateway' THEN 'emailgateway@zulip.com'
  WHEN 'emailgateway' THEN 'emailgateway@zulip.com' ELSE 'notification-bot@zulip.com' END`;

/** Definitions of the exported tables of user accounts. */
export const exportedUserTables: readonly ExportedTable[] = [
  { name: 'zerver_userprofile', sources: [createExportedUserRows(`NOT (${isExportedAsPlaceholderSql})`)] },
  { name: 'zerver_userprofile_mirrordummy', sources: [createExportedUserRows(isExportedAsPlaceholderSql)] },
  {
    name: 'zerver_userprofile_crossrealm',
    sources: [
      {
        row: `json_build_object('id', u.id, 'email', ${systemBotEmailSql}, 'recipient_id', ${createPersonalRecipientIdSql('u.id')})`,
        from: 'users u WHERE u.realm_id = $1 AND u.is_system_bot',
        key: createIntegerKeyColumns('u.id'),
      },
    ],
  },
  {
    name: 'zerver_customprofilefieldvalue',
    sources: [
      {
        row: `json_build_object('user_profile', v.user_id, 'field', v.field_id, 'value', v.value,
          'rendered_value', v.rendered_value)`,
        from: `profile_values v JOIN users u ON u.id = v.user_id WHERE ${isExportedAsAccountSql}`,
        key: [
          { sql: 'v.user_id', type: 'int' },
          { sql: 'v.field_id', type: 'int' },
        ],
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_userpresence',
    sources: [
      {
        row: `json_build_object('id', p.user_id, 'realm', p.realm_id, 'user_profile', p.user_id,
          'last_active_time', ${createUnixSecondsSql('p.last_active_at')}, 'last_connected_time', ${createUnixSecondsSql('p.last_connected_at')},
          'last_update_id', p.update_id)`,
        from: `presences p JOIN users u ON u.id = p.user_id WHERE ${isExportedAsAccountSql}`,
        key: createIntegerKeyColumns('p.user_id'),
      },
    ],
  },
  {
    name: 'zerver_userstatus',
    sources: [
      {
        row: `json_build_object('id', s.user_id, 'user_profile', s.user_id, 'timestamp', ${createUnixSecondsSql('u.date_joined')},
          'client', ${unknownExportClientId}, 'status_text', s.status_text,
          'emoji_name', coalesce(e.name, s.emoji_name), 'emoji_code', s.emoji_code,
          'reaction_type', CASE s.reaction_type WHEN '' THEN 'unicode_emoji' ELSE s.reaction_type END)`,
        from: `user_statuses s JOIN users u ON u.id = s.user_id
          LEFT JOIN realm_emoji e ON s.reaction_type = 'realm_emoji' AND e.id::text = s.emoji_code
          WHERE ${isExportedAsAccountSql} AND ${createPrivateDataExportedSql('u.id')}`,
        key: createIntegerKeyColumns('s.user_id'),
      },
    ],
  },
];
