import { z } from 'zod';

const enabledByDefault = z.boolean().default(true);
const disabledByDefault = z.boolean().default(false);
const choiceOf = (values: readonly [number, ...number[]], initial: number) => z.literal(values).default(initial);

/** Schemas of a user's display settings. */
const displaySettings = {
  twenty_four_hour_time: disabledByDefault,
  web_mark_read_on_scroll_policy: choiceOf([1, 2, 3], 1),
  web_channel_default_view: choiceOf([1, 2, 3, 4], 1),
  starred_message_counts: enabledByDefault,
  receives_typing_notifications: enabledByDefault,
  web_suggest_update_timezone: enabledByDefault,
  fluid_layout_width: disabledByDefault,
  high_contrast_mode: disabledByDefault,
  web_font_size_px: z.int().positive().default(16),
  web_line_height_percent: z.int().positive().default(140),
  color_scheme: choiceOf([1, 2, 3], 1),
  enable_drafts_synchronization: enabledByDefault,
  translate_emoticons: disabledByDefault,
  display_emoji_reaction_users: enabledByDefault,
  default_language: z.string().default('en'),
  web_home_view: z.enum(['recent', 'inbox', 'all_messages']).default('inbox'),
  web_escape_navigates_to_home_view: enabledByDefault,
  left_side_userlist: disabledByDefault,
  emojiset: z.enum(['google', 'google-blob', 'twitter', 'text']).default('google'),
  demote_inactive_streams: choiceOf([1, 2, 3], 1),
  user_list_style: choiceOf([1, 2, 3], 2),
  web_animate_image_previews: z.enum(['always', 'on_hover', 'never']).default('on_hover'),
  web_stream_unreads_count_display_policy: choiceOf([1, 2, 3], 2),
  hide_ai_features: disabledByDefault,
  web_inbox_show_channel_folders: enabledByDefault,
  web_navigate_to_sent_message: enabledByDefault,
  web_left_sidebar_show_channel_folders: enabledByDefault,
  web_left_sidebar_unreads_count_summary: enabledByDefault,
  enter_sends: disabledByDefault,
};

/** Schemas of a user's notification settings. */
const notificationSettings = {
  enable_stream_desktop_notifications: disabledByDefault,
  enable_stream_email_notifications: disabledByDefault,
  enable_stream_push_notifications: disabledByDefault,
  enable_stream_audible_notifications: disabledByDefault,
  notification_sound: z.string().default('zulip'),
  enable_desktop_notifications: enabledByDefault,
  enable_sounds: enabledByDefault,
  enable_followed_topic_desktop_notifications: enabledByDefault,
  enable_followed_topic_email_notifications: enabledByDefault,
  enable_followed_topic_push_notifications: enabledByDefault,
  enable_followed_topic_audible_notifications: enabledByDefault,
  enable_followed_topic_wildcard_mentions_notify: enabledByDefault,
  email_notifications_batching_period_seconds: z.int().min(1).max(604_800).default(120),
  enable_offline_email_notifications: enabledByDefault,
  enable_offline_push_notifications: enabledByDefault,
  enable_online_push_notifications: enabledByDefault,
  pm_content_in_desktop_notifications: enabledByDefault,
  wildcard_mentions_notify: enabledByDefault,
  message_content_in_email_notifications: enabledByDefault,
  enable_digest_emails: enabledByDefault,
  enable_marketing_emails: enabledByDefault,
  enable_login_emails: enabledByDefault,
  desktop_icon_count_display: choiceOf([1, 2, 3, 4], 1),
  realm_name_in_email_notifications_policy: choiceOf([1, 2, 3], 1),
  automatically_follow_topics_policy: choiceOf([1, 2, 3, 4], 3),
  automatically_unmute_topics_in_muted_streams_policy: choiceOf([1, 2, 3, 4], 2),
  automatically_follow_topics_where_mentioned: enabledByDefault,
  resolved_topic_notice_auto_read_policy: z.enum(['always', 'except_followed', 'never']).default('except_followed'),
};

/** Schemas of a user's privacy settings. */
const privacySettings = {
  presence_enabled: enabledByDefault,
  send_private_typing_notifications: enabledByDefault,
  send_stream_typing_notifications: enabledByDefault,
  send_read_receipts: enabledByDefault,
  allow_private_data_export: disabledByDefault,
};

/**
 * Schema of the settings of a user with their defaults (docs/contract/chat.md 2.G). The column `users.settings` stores
 * values that differ from the defaults, and `realms.user_settings_defaults` stores the defaults of new users. The
 * settings `email_address_visibility` and `timezone` have columns of their own.
 */
export const userSettings = z.object({ ...displaySettings, ...notificationSettings, ...privacySettings });

export type UserSettings = z.output<typeof userSettings>;

/** Returns all settings of a user, with defaults for those not stored. Unknown keys are dropped. */
export function effectiveUserSettings(stored: object): UserSettings {
  return userSettings.parse(stored);
}

/** Returns all default settings of new users. The clock format is null if it depends on the user's language. */
export function effectiveDefaults(stored: object): Omit<UserSettings, 'twenty_four_hour_time'> & {
  twenty_four_hour_time: boolean | null;
} {
  return userSettings.extend({ twenty_four_hour_time: z.boolean().nullable().default(false) }).parse(stored);
}

/** Values that clients offer for the setting `emojiset`. */
export const emojisetChoices = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
  { key: 'google-blob', text: 'Google blobs' },
];
export const notificationSounds = ['ding', 'zulip'];
