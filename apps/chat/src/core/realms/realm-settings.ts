import { z } from 'zod';

const settingEnabledByDefault = z.boolean().default(true);
const settingDisabledByDefault = z.boolean().default(false);
const createSecondsSetting = (initial: number) => z.int().nullable().default(initial);

/** Schemas of realm settings about joining the realm, and about changes that users make to their own accounts. */
const accountSettings = {
  invite_required: settingEnabledByDefault,
  emails_restricted_to_domains: settingDisabledByDefault,
  disallow_disposable_email_addresses: settingEnabledByDefault,
  waiting_period_threshold: z.int().default(0).meta({ description: 'Days' }),
  require_unique_names: settingDisabledByDefault,
  name_changes_disabled: settingDisabledByDefault,
  email_changes_disabled: settingDisabledByDefault,
  avatar_changes_disabled: settingDisabledByDefault,
  default_avatar_source: z.enum(['G']).default('G').meta({ description: 'G: Gravatar' }),
  send_welcome_emails: settingEnabledByDefault,
  enable_guest_user_indicator: settingEnabledByDefault,
  enable_guest_user_dm_warning: settingEnabledByDefault,
  enable_spectator_access: settingDisabledByDefault,
  want_advertise_in_communities_directory: settingDisabledByDefault,
  welcome_message_custom_text: z.string().default(''),
};

/** Schemas of realm settings about messages. Time limits are in seconds; null means no limit. */
const messageSettings = {
  default_language: z.string().default('en'),
  default_code_block_language: z.string().default(''),
  inline_image_preview: settingEnabledByDefault,
  inline_url_embed_preview: settingDisabledByDefault,
  media_preview_size: z.int().default(100).meta({ description: 'Height of previews, in percent' }),
  gif_rating_policy: z.int().default(1),
  topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']).default('allow_empty_topic'),
  allow_message_editing: settingEnabledByDefault,
  message_content_edit_limit_seconds: createSecondsSetting(600),
  message_content_delete_limit_seconds: createSecondsSetting(600),
  move_messages_within_stream_limit_seconds: createSecondsSetting(604_800),
  move_messages_between_streams_limit_seconds: createSecondsSetting(604_800),
  message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none']).default('all'),
  message_retention_days: z.int().default(-1).meta({ description: '-1: for ever' }),
  enable_read_receipts: settingDisabledByDefault,
  send_channel_events_messages: settingEnabledByDefault,
};

/** Schemas of realm settings that concern neither accounts nor messages. */
const organizationSettings = {
  org_type: z.int().default(0),
  plan_type: z.int().default(1),
  digest_emails_enabled: settingDisabledByDefault,
  digest_weekday: z.int().default(1),
  message_content_allowed_in_email_notifications: settingEnabledByDefault,
  presence_disabled: settingDisabledByDefault,
  require_e2ee_push_notifications: settingDisabledByDefault,
  video_chat_provider: z.int().default(1),
  jitsi_server_url: z.string().nullable().default(null),
  upload_quota_mib: z.int().nullable().default(null),
};

/**
 * Schema of all settings of a realm with their defaults (docs/contract/chat.md 4.3). The column `realms.settings`
 * stores only values that differ from the defaults.
 */
export const realmSettings = z.object({ ...accountSettings, ...messageSettings, ...organizationSettings });

export type RealmSettings = z.output<typeof realmSettings>;

/**
 * Returns all settings of a realm. Settings without a stored value have their default value, and unknown stored keys
 * are omitted.
 */
export function effectiveRealmSettings(stored: object): RealmSettings {
  return realmSettings.parse(stored);
}
