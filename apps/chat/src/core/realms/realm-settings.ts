import { z } from 'zod';

const booleanSettingEnabledByDefault = z.boolean().default(true);
const booleanSettingDisabledByDefault = z.boolean().default(false);
const createSecondsSetting = (initial: number) => z.int().nullable().default(initial);

/** Schemas of realm settings about joining the realm, and about changes that users make to their own accounts. */
const realmAccountSettingSchemas = {
  invite_required: booleanSettingEnabledByDefault,
  emails_restricted_to_domains: booleanSettingDisabledByDefault,
  disallow_disposable_email_addresses: booleanSettingEnabledByDefault,
  waiting_period_threshold: z.int().default(0).meta({ description: 'Days' }),
  require_unique_names: booleanSettingDisabledByDefault,
  name_changes_disabled: booleanSettingDisabledByDefault,
  email_changes_disabled: booleanSettingDisabledByDefault,
  avatar_changes_disabled: booleanSettingDisabledByDefault,
  default_avatar_source: z.enum(['G']).default('G').meta({ description: 'G: Gravatar' }),
  send_welcome_emails: booleanSettingEnabledByDefault,
  enable_guest_user_indicator: booleanSettingEnabledByDefault,
  enable_guest_user_dm_warning: booleanSettingEnabledByDefault,
  enable_spectator_access: booleanSettingDisabledByDefault,
  want_advertise_in_communities_directory: booleanSettingDisabledByDefault,
  welcome_message_custom_text: z.string().default(''),
};

/** Schemas of realm settings about messages. Time limits are in seconds; null means no limit. */
const realmMessageSettingSchemas = {
  default_language: z.string().default('en'),
  default_code_block_language: z.string().default(''),
  inline_image_preview: booleanSettingEnabledByDefault,
  inline_url_embed_preview: booleanSettingDisabledByDefault,
  media_preview_size: z.int().default(100).meta({ description: 'Height of previews, in percent' }),
  gif_rating_policy: z.int().default(1),
  topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']).default('allow_empty_topic'),
  allow_message_editing: booleanSettingEnabledByDefault,
  message_content_edit_limit_seconds: createSecondsSetting(600),
  message_content_delete_limit_seconds: createSecondsSetting(600),
  move_messages_within_stream_limit_seconds: createSecondsSetting(604_800),
  move_messages_between_streams_limit_seconds: createSecondsSetting(604_800),
  message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none']).default('all'),
  message_retention_days: z.int().default(-1).meta({ description: '-1: for ever' }),
  enable_read_receipts: booleanSettingDisabledByDefault,
  send_channel_events_messages: booleanSettingEnabledByDefault,
};

/** Schemas of realm settings that concern neither accounts nor messages. */
const otherRealmSettingSchemas = {
  org_type: z.int().default(0),
  plan_type: z.int().default(1),
  digest_emails_enabled: booleanSettingDisabledByDefault,
  digest_weekday: z.int().default(1),
  message_content_allowed_in_email_notifications: booleanSettingEnabledByDefault,
  presence_disabled: booleanSettingDisabledByDefault,
  require_e2ee_push_notifications: booleanSettingDisabledByDefault,
  video_chat_provider: z.int().default(1),
  jitsi_server_url: z.string().nullable().default(null),
  upload_quota_mib: z.int().nullable().default(null),
};

/**
 * Schema of all settings of a realm with their defaults (docs/contract/chat.md 4.3). The column `realms.settings`
 * stores only values that differ from the defaults.
 */
export const realmSettingsSchema = z.object({
  ...realmAccountSettingSchemas,
  ...realmMessageSettingSchemas,
  ...otherRealmSettingSchemas,
});

export type RealmSettings = z.output<typeof realmSettingsSchema>;

/**
 * Returns all settings of a realm. Settings without a stored value have their default value, and unknown stored keys
 * are omitted.
 */
export function getEffectiveRealmSettings(stored: object): RealmSettings {
  return realmSettingsSchema.parse(stored);
}
