import { realmPermissions } from '../../../core/access/permission-settings.js';
import { getRealmRow, type RealmSettings } from '../../../core/realms/index.js';
import { getEffectiveDefaults } from './exported-setting-values.js';
import { type ExportedTable, createIntegerKeyColumns } from './exported-table.js';
import type { RealmExportContext } from '../worker/export-stage.js';

/** Numbers that the reference server (Zulip) stores for values of realm settings that are texts in the API. */
const realmTopicsPolicyNumbers = { allow_empty_topic: 2, disable_empty_topic: 3 } as const;
const editHistoryPolicyNumbers = { all: 1, moves: 2, none: 3 } as const;

/** Names of realm settings that have no column in the database of the reference server (Zulip). */
const settingsWithoutZulipColumn: readonly (keyof RealmSettings)[] = ['presence_disabled', 'upload_quota_mib'];

/**
 * Columns of Zulip's realm table for features that this service does not have, with the exported values of these
 * columns.
 */
const constantRealmColumns = {
  push_notifications_enabled: false,
  push_notifications_enabled_end_timestamp: null,
  demo_organization_scheduled_deletion_date: null,
  scheduled_deletion_date: null,
  deactivated: false,
  deactivated_redirect: null,
  max_invites: null,
  zulip_update_announcements_level: null,
  message_visibility_limit: null,
  first_visible_message_id: 0,
  custom_upload_quota_gb: null,
  rendered_description: null,
  rendered_description_version: null,
};

async function readExportedRealmRows({ database, realmId }: RealmExportContext): Promise<readonly object[]> {
  const realm = await getRealmRow(database, realmId);
  const { images, settings, permissions } = realm;
  const own = new Set<string>(settingsWithoutZulipColumn);
  const row = {
    id: realm.id,
    name: realm.name,
    description: realm.description,
    string_id: realm.stringId,
    uuid: realm.uuid,
    date_created: realm.dateCreated,
    ...constantRealmColumns,
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => !own.has(name))),
    topics_policy: realmTopicsPolicyNumbers[settings.topics_policy],
    message_edit_history_visibility_policy: editHistoryPolicyNumbers[settings.message_edit_history_visibility_policy],
    ...Object.fromEntries(Object.keys(realmPermissions).map((name) => [name, permissions[name] ?? null])),
    workplace_users_group: await findSystemGroupId(database, realmId, 'role:fullmembers'),
    new_stream_announcements_stream: realm.newStreamAnnouncementsChannelId,
    signup_announcements_stream: realm.signupAnnouncementsChannelId,
    zulip_update_announcements_stream: realm.updateAnnouncementsChannelId,
    moderation_request_channel: realm.moderationRequestChannelId,
    icon_source: images.icon.key === null ? 'G' : 'U',
    icon_version: images.icon.version,
    logo_source: images.logo.key === null ? 'D' : 'U',
    logo_version: images.logo.version,
    night_logo_source: images.night_logo.key === null ? 'D' : 'U',
    night_logo_version: images.night_logo.version,
  };
  return [row];
}

async function findSystemGroupId(database: RealmExportContext['database'], realmId: number, name: string) {
  const { rows } = await database.query<{ id: number }>(
    'SELECT id FROM user_groups WHERE realm_id = $1 AND name = $2',
    [realmId, name],
  );
  return rows[0]?.id ?? null;
}

async function readExportedPresenceSequenceRows({ database, realmId }: RealmExportContext): Promise<readonly object[]> {
  const { rows } = await database.query<{ last: number }>(
    'SELECT coalesce(max(update_id), 0)::bigint AS last FROM presences WHERE realm_id = $1',
    [realmId],
  );
  return [{ id: realmId, realm: realmId, last_update_id: rows[0]?.last ?? 0 }];
}

async function readExportedClientRows({
  database,
  clientIds,
  consentingIds,
}: RealmExportContext): Promise<readonly object[]> {
  const { rows } = await database.query<{ id: number; name: string }>(
    `SELECT id, name FROM clients
     WHERE id = ANY($1) OR name IN (SELECT client FROM scheduled_messages WHERE user_id = ANY($2::int[])) ORDER BY id`,
    [clientIds, consentingIds],
  );
  return [{ id: unknownExportClientId, name: 'website' }, ...rows];
}

/** Id of the client program in exported rows for which this service stores no client program. */
export const unknownExportClientId = 0;

/** Definitions of the exported tables about the realm: the realm's settings, and lists that administrators maintain. */
export const exportedRealmTables: readonly ExportedTable[] = [
  { name: 'zerver_realm', rows: readExportedRealmRows },
  {
    name: 'zerver_realmauthenticationmethod',
    rows: async ({ realmId }) => [{ id: 1, realm: realmId, name: 'Email' }],
  },
  { name: 'zerver_presencesequence', rows: readExportedPresenceSequenceRows },
  {
    name: 'zerver_realmuserdefault',
    rows: async ({ database, realmId }) => {
      const { userSettingsDefaults } = await getRealmRow(database, realmId);
      return [{ id: realmId, realm: realmId, ...getEffectiveDefaults(userSettingsDefaults) }];
    },
  },
  { name: 'zerver_client', rows: readExportedClientRows },
  {
    name: 'zerver_realmdomain',
    sources: [
      {
        row: `json_build_object('id', d.id, 'realm', d.realm_id, 'domain', d.domain, 'allow_subdomains', d.allow_subdomains)`,
        from: 'realm_domains d WHERE d.realm_id = $1',
        key: createIntegerKeyColumns('d.id'),
      },
    ],
  },
  {
    name: 'zerver_realmemoji',
    sources: [
      {
        row: `json_build_object('id', e.id, 'realm', e.realm_id, 'author', e.author_id, 'name', e.name,
          'file_name', e.file_name, 'is_animated', e.is_animated, 'deactivated', e.deactivated)`,
        from: 'realm_emoji e WHERE e.realm_id = $1',
        key: createIntegerKeyColumns('e.id'),
      },
    ],
  },
  {
    name: 'zerver_realmfilter',
    sources: [
      {
        row: `json_build_object('id', l.id, 'realm', l.realm_id, 'pattern', l.pattern, 'url_template', l.url_template,
          'order', l.position, 'example_input', l.example_input, 'reverse_template', l.reverse_template,
          'alternative_url_templates', l.alternative_url_templates)`,
        from: 'realm_linkifiers l WHERE l.realm_id = $1',
        key: createIntegerKeyColumns('l.id'),
      },
    ],
  },
  {
    name: 'zerver_realmplayground',
    sources: [
      {
        row: `json_build_object('id', p.id, 'realm', p.realm_id, 'name', p.name,
          'pygments_language', p.pygments_language, 'url_template', p.url_template)`,
        from: 'realm_playgrounds p WHERE p.realm_id = $1',
        key: createIntegerKeyColumns('p.id'),
      },
    ],
  },
  {
    name: 'zerver_customprofilefield',
    sources: [
      {
        row: `json_build_object('id', f.id, 'realm', f.realm_id, 'name', f.name, 'hint', f.hint, 'order', f.position,
          'display_in_profile_summary', f.display_in_profile_summary, 'required', f.required,
          'field_type', f.field_type, 'field_data', f.field_data, 'editable_by_user', f.editable_by_user,
          'use_for_user_matching', f.use_for_user_matching)`,
        from: 'profile_fields f WHERE f.realm_id = $1',
        key: createIntegerKeyColumns('f.id'),
      },
    ],
  },
];
