import { z } from 'zod';
import { groupPermissionValueSchema } from '../user-groups/index.js';
import { realmPermissions } from '../access/permission-settings.js';
import { realmSettingsSchema } from './realm-settings.js';

/** Schemas of all settings of a realm by their API names, which begin with `realm_`. */
const realmSnapshotSettingSchemas = Object.fromEntries(
  Object.entries(realmSettingsSchema.shape).map(([name, schema]) => [`realm_${name}`, schema.unwrap()]),
);

const realmSnapshotPermissionSchemas = Object.fromEntries(
  Object.keys(realmPermissions).map((name) => [`realm_${name}`, groupPermissionValueSchema]),
);

const realmSnapshotIdentitySchemas = {
  realm_name: z.string(),
  realm_uuid: z.uuid(),
  realm_description: z.string(),
  realm_rendered_description: z.string(),
  realm_url: z.string(),
  realm_uri: z.string(),
  realm_icon_url: z.string(),
  realm_icon_source: z.enum(['G', 'U']),
  realm_logo_url: z.string(),
  realm_logo_source: z.enum(['D', 'U']),
  realm_night_logo_url: z.string(),
  realm_night_logo_source: z.enum(['D', 'U']),
  realm_date_created: z.int(),
  realm_bot_domain: z.string(),
  realm_is_zephyr_mirror_realm: z.boolean(),
};

const derivedRealmFields = {
  realm_mandatory_topics: z.boolean(),
  realm_allow_edit_history: z.boolean(),
  realm_giphy_rating: z.int(),
  realm_owner_full_content_access: z.boolean(),
  realm_empty_topic_display_name: z.string(),
  realm_default_external_accounts: z.record(
    z.string(),
    z.strictObject({ name: z.string(), text: z.string(), hint: z.string(), url_pattern: z.string() }),
  ),
  realm_authentication_methods: z.record(z.string(), z.strictObject({ enabled: z.boolean(), available: z.boolean() })),
  realm_email_auth_enabled: z.boolean(),
  realm_password_auth_enabled: z.boolean(),
  realm_push_notifications_enabled: z.boolean(),
  realm_push_notifications_enabled_end_timestamp: z.int().nullable(),
  realm_new_stream_announcements_stream_id: z.int(),
  realm_signup_announcements_stream_id: z.int(),
  realm_zulip_update_announcements_stream_id: z.int(),
  realm_moderation_request_channel_id: z.int(),
  realm_wildcard_mention_policy: z.int(),
  realm_create_public_stream_policy: z.int(),
  realm_create_private_stream_policy: z.int(),
  realm_create_web_public_stream_policy: z.int(),
  realm_available_video_chat_providers: z.record(z.string(), z.strictObject({ name: z.string(), id: z.int() })),
  realm_billing: z.strictObject({ has_pending_sponsorship_request: z.boolean() }),
};

const realmSnapshotLimitSchemas = {
  password_min_length: z.int(),
  password_max_length: z.int(),
  password_min_guesses: z.int(),
  max_file_upload_size_mib: z.int(),
  max_avatar_file_size_mib: z.int(),
  max_icon_file_size_mib: z.int(),
  max_logo_file_size_mib: z.int(),
  max_stream_name_length: z.int(),
  max_stream_description_length: z.int(),
  max_channel_folder_name_length: z.int(),
  max_channel_folder_description_length: z.int(),
  max_topic_length: z.int(),
  max_message_length: z.int(),
  max_bulk_new_subscription_messages: z.int(),
};

const permissionSettingSchema = z.strictObject({
  require_system_group: z.boolean(),
  allow_internet_group: z.boolean(),
  allow_nobody_group: z.boolean(),
  allow_everyone_group: z.boolean(),
  default_group_name: z.string(),
  default_for_system_groups: z.string().nullable(),
  allowed_system_groups: z.array(z.string()),
});

const gifRatingOptionsSchema = z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() }));

const realmSnapshotServerFieldSchemas = {
  server_generation: z.int(),
  server_emoji_data_url: z.string(),
  server_inline_image_preview: z.boolean(),
  server_inline_url_embed_preview: z.boolean(),
  server_avatar_changes_disabled: z.boolean(),
  server_name_changes_disabled: z.boolean(),
  server_needs_upgrade: z.boolean(),
  server_web_public_streams_enabled: z.boolean(),
  server_can_summarize_topics: z.boolean(),
  server_min_deactivated_realm_deletion_days: z.int().nullable(),
  server_max_deactivated_realm_deletion_days: z.int().nullable(),
  server_thumbnail_formats: z.array(
    z.strictObject({
      name: z.string(),
      max_width: z.int(),
      max_height: z.int(),
      format: z.string(),
      animated: z.boolean(),
    }),
  ),
  server_supported_permission_settings: z.strictObject({
    realm: z.record(z.string(), permissionSettingSchema),
    stream: z.record(z.string(), permissionSettingSchema),
    group: z.record(z.string(), permissionSettingSchema),
  }),
  server_report_message_types: z.array(z.strictObject({ key: z.string(), name: z.string() })),
  server_presence_ping_interval_seconds: z.int(),
  server_presence_offline_threshold_seconds: z.int(),
  server_typing_started_expiry_period_milliseconds: z.int(),
  server_typing_stopped_wait_period_milliseconds: z.int(),
  server_typing_started_wait_period_milliseconds: z.int(),
  server_jitsi_server_url: z.string().nullable(),
  jitsi_server_url: z.string().nullable(),
  development_environment: z.boolean(),
  event_queue_longpoll_timeout_seconds: z.int(),
  settings_send_digest_emails: z.boolean(),
  gif_rating_policy_options: gifRatingOptionsSchema,
  giphy_rating_options: gifRatingOptionsSchema,
  zulip_plan_is_not_limited: z.boolean(),
  upgrade_text_for_wide_organization_logo: z.string(),
};

/** Schemas of all fields of the fetch type `realm` in POST /register (docs/contract/chat.md 4.3). */
export const realmSnapshotShape = {
  ...realmSnapshotSettingSchemas,
  ...realmSnapshotPermissionSchemas,
  ...realmSnapshotIdentitySchemas,
  ...derivedRealmFields,
  ...realmSnapshotLimitSchemas,
  ...realmSnapshotServerFieldSchemas,
};
