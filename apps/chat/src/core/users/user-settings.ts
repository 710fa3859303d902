import { z } from 'zod';

const userSettingEnabledByDefault = z.boolean().default(true);
const userSettingDisabledByDefault = z.boolean().default(false);
const createNumberChoiceSettingSchema = (values: readonly [number, ...number[]], initial: number) =>
  z.literal(values).default(initial);

/** Schemas of a user's display settings, with their default values. */
const userDisplaySettingSchemas = {
  twenty_four_hour_time: userSettingDisabledByDefault,
  web_mark_read_on_scroll_policy: createNumberChoiceSettingSchema([1, 2, 3], 1),
  web_channel_default_view: createNumberChoiceSettingSchema([1, 2, 3, 4], 1),
  starred_message_counts: userSettingEnabledByDefault,
  receives_typing_notifications: userSettingEnabledByDefault,
  web_suggest_update_timezone: userSettingEnabledByDefault,
  fluid_layout_width: userSettingDisabledByDefault,
  high_contrast_mode: userSettingDisabledByDefault,
  web_font_size_px: z.int().positive().default(16),
  web_line_height_percent: z.int().positive().default(140),
  color_scheme: createNumberChoiceSettingSchema([1, 2, 3], 1),
  enable_drafts_synchronization: userSettingEnabledByDefault,
  translate_emoticons: userSettingDisabledByDefault,
  display_emoji_reaction_users: userSettingEnabledByDefault,
  default_language: z.string().default('en'),
  web_home_view: z.enum(['recent', 'inbox', 'all_messages']).default('inbox'),
  web_escape_navigates_to_home_view: userSettingEnabledByDefault,
  left_side_userlist: userSettingDisabledByDefault,
  emojiset: z.enum(['google', 'google-blob', 'twitter', 'text']).default('google'),
  demote_inactive_streams: createNumberChoiceSettingSchema([1, 2, 3], 1),
  user_list_style: createNumberChoiceSettingSchema([1, 2, 3], 2),
  web_animate_image_previews: z.enum(['always', 'on_hover', 'never']).default('on_hover'),
  web_stream_unreads_count_display_policy: createNumberChoiceSettingSchema([1, 2, 3], 2),
  hide_ai_features: userSettingDisabledByDefault,
  web_inbox_show_channel_folders: userSettingEnabledByDefault,
  web_navigate_to_sent_message: userSettingEnabledByDefault,
  web_left_sidebar_show_channel_folders: userSettingEnabledByDefault,
  web_left_sidebar_unreads_count_summary: userSettingEnabledByDefault,
  enter_sends: userSettingDisabledByDefault,
};

/** Schemas of a user's notification settings, with their default values. */
const userNotificationSettingSchemas = {
  enable_stream_desktop_notifications: userSettingDisabledByDefault,
  enable_stream_email_notifications: userSettingDisabledByDefault,
  enable_stream_push_notifications: userSettingDisabledByDefault,
  enable_stream_audible_notifications: userSettingDisabledByDefault,
  notification_sound: z.string().default('zulip'),
  enable_desktop_notifications: userSettingEnabledByDefault,
  enable_sounds: userSettingEnabledByDefault,
  enable_followed_topic_desktop_notifications: userSettingEnabledByDefault,
  enable_followed_topic_email_notifications: userSettingEnabledByDefault,
  enable_followed_topic_push_notifications: userSettingEnabledByDefault,
  enable_followed_topic_audible_notifications: userSettingEnabledByDefault,
  enable_followed_topic_wildcard_mentions_notify: userSettingEnabledByDefault,
  email_notifications_batching_period_seconds: z.int().min(1).max(604_800).default(120),
  enable_offline_email_notifications: userSettingEnabledByDefault,
  enable_offline_push_notifications: userSettingEnabledByDefault,
  enable_online_push_notifications: userSettingEnabledByDefault,
  pm_content_in_desktop_notifications: userSettingEnabledByDefault,
  wildcard_mentions_notify: userSettingEnabledByDefault,
  message_content_in_email_notifications: userSettingEnabledByDefault,
  enable_digest_emails: userSettingEnabledByDefault,
  enable_marketing_emails: userSettingEnabledByDefault,
  enable_login_emails: userSettingEnabledByDefault,
  desktop_icon_count_display: createNumberChoiceSettingSchema([1, 2, 3, 4], 1),
  realm_name_in_email_notifications_policy: createNumberChoiceSettingSchema([1, 2, 3], 1),
  automatically_follow_topics_policy: createNumberChoiceSettingSchema([1, 2, 3, 4], 3),
  automatically_unmute_topics_in_muted_streams_policy: createNumberChoiceSettingSchema([1, 2, 3, 4], 2),
  automatically_follow_topics_where_mentioned: userSettingEnabledByDefault,
  resolved_topic_notice_auto_read_policy: z.enum(['always', 'except_followed', 'never']).default('except_followed'),
};

/** Schemas of a user's privacy settings, with their default values. */
const userPrivacySettingSchemas = {
  presence_enabled: userSettingEnabledByDefault,
  send_private_typing_notifications: userSettingEnabledByDefault,
  send_stream_typing_notifications: userSettingEnabledByDefault,
  send_read_receipts: userSettingEnabledByDefault,
  allow_private_data_export: userSettingDisabledByDefault,
};

/**
 * Schema of the settings of a user with their defaults (docs/contract/chat.md 2.G). The column `users.settings` stores
 * values that differ from the defaults, and `realms.user_settings_defaults` stores the defaults of new users. The
 * settings `email_address_visibility` and `timezone` have separate columns.
 */
export const userSettingsSchema = z.object({
  ...userDisplaySettingSchemas,
  ...userNotificationSettingSchemas,
  ...userPrivacySettingSchemas,
});

export type UserSettings = z.output<typeof userSettingsSchema>;

/**
 * Returns all settings of a user. Settings without a stored value have their default value, and unknown stored keys are
 * omitted.
 */
export function getEffectiveUserSettings(stored: object): UserSettings {
  return userSettingsSchema.parse(stored);
}

/** Returns all default settings of new users. The clock format is null if it depends on the user's language. */
export function getEffectiveDefaultUserSettings(stored: object): Omit<UserSettings, 'twenty_four_hour_time'> & {
  twenty_four_hour_time: boolean | null;
} {
  return userSettingsSchema.extend({ twenty_four_hour_time: z.boolean().nullable().default(false) }).parse(stored);
}

/** Values that clients offer for the user setting `emojiset`, which selects the appearance of emoji. */
export const emojisetChoices = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
  { key: 'google-blob', text: 'Google blobs' },
];
export const notificationSounds = ['ding', 'zulip'];
