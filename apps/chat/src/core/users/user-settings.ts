import { z } from 'zod';

const on = z.boolean().default(true);
const off = z.boolean().default(false);
const choice = (values: readonly [number, ...number[]], initial: number) => z.literal(values).default(initial);

/** Schemas of a user's display settings. */
const display = {
  twenty_four_hour_time: off,
  web_mark_read_on_scroll_policy: choice([1, 2, 3], 1),
  web_channel_default_view: choice([1, 2, 3, 4], 1),
  starred_message_counts: on,
  receives_typing_notifications: on,
  web_suggest_update_timezone: on,
  fluid_layout_width: off,
  high_contrast_mode: off,
  web_font_size_px: z.int().positive().default(16),
  web_line_height_percent: z.int().positive().default(140),
  color_scheme: choice([1, 2, 3], 1),
  enable_drafts_synchronization: on,
  translate_emoticons: off,
  display_emoji_reaction_users: on,
  default_language: z.string().default('en'),
  web_home_view: z.enum(['recent', 'inbox', 'all_messages']).default('inbox'),
  web_escape_navigates_to_home_view: on,
  left_side_userlist: off,
  emojiset: z.enum(['google', 'google-blob', 'twitter', 'text']).default('google'),
  demote_inactive_streams: choice([1, 2, 3], 1),
  user_list_style: choice([1, 2, 3], 2),
  web_animate_image_previews: z.enum(['always', 'on_hover', 'never']).default('on_hover'),
  web_stream_unreads_count_display_policy: choice([1, 2, 3], 2),
  hide_ai_features: off,
  web_inbox_show_channel_folders: on,
  web_navigate_to_sent_message: on,
  web_left_sidebar_show_channel_folders: on,
  web_left_sidebar_unreads_count_summary: on,
  enter_sends: off,
};

/** Schemas of a user's notification settings. */
const notifications = {
  enable_stream_desktop_notifications: off,
  enable_stream_email_notifications: off,
  enable_stream_push_notifications: off,
  enable_stream_audible_notifications: off,
  notification_sound: z.string().default('zulip'),
  enable_desktop_notifications: on,
  enable_sounds: on,
  enable_followed_topic_desktop_notifications: on,
  enable_followed_topic_email_notifications: on,
  enable_followed_topic_push_notifications: on,
  enable_followed_topic_audible_notifications: on,
  enable_followed_topic_wildcard_mentions_notify: on,
  email_notifications_batching_period_seconds: z.int().min(1).max(604_800).default(120),
  enable_offline_email_notifications: on,
  enable_offline_push_notifications: on,
  enable_online_push_notifications: on,
  pm_content_in_desktop_notifications: on,
  wildcard_mentions_notify: on,
  message_content_in_email_notifications: on,
  enable_digest_emails: on,
  enable_marketing_emails: on,
  enable_login_emails: on,
  desktop_icon_count_display: choice([1, 2, 3, 4], 1),
  realm_name_in_email_notifications_policy: choice([1, 2, 3], 1),
  automatically_follow_topics_policy: choice([1, 2, 3, 4], 3),
  automatically_unmute_topics_in_muted_streams_policy: choice([1, 2, 3, 4], 2),
  automatically_follow_topics_where_mentioned: on,
  resolved_topic_notice_auto_read_policy: z.enum(['always', 'except_followed', 'never']).default('except_followed'),
};

/** Schemas of a user's privacy settings. */
const privacy = {
  presence_enabled: on,
  send_private_typing_notifications: on,
  send_stream_typing_notifications: on,
  send_read_receipts: on,
  allow_private_data_export: off,
};

/**
 * Schema of the settings of a user with their defaults (docs/contract/chat.md 2.G). `users.settings` stores those that
 * differ, and `realms.user_settings_defaults` those of new users. `email_address_visibility` and `timezone` are
 * columns.
 */
export const userSettings = z.object({ ...display, ...notifications, ...privacy });

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
