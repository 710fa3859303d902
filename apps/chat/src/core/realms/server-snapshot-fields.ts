import {
  channelPermissionSettings,
  userGroupPermissionSettings,
  type PermissionSetting,
  realmPermissions,
} from '../access/permission-settings.js';
import { emojiDataPath } from '../../infra/emoji/emoji-data.js';
import { gifRatings } from './gif-rating-choices.js';

/**
 * Snapshot fields with limits for text lengths and file sizes (docs/contract/chat.md 4.3). Text lengths are in Unicode
 * code points, file sizes in MiB.
 */
export const serverLimitSnapshotFields = {
  password_min_length: 8,
  password_max_length: 100,
  password_min_guesses: 10_000,
  max_file_upload_size_mib: 25,
  max_avatar_file_size_mib: 5,
  max_icon_file_size_mib: 5,
  max_logo_file_size_mib: 5,
  max_stream_name_length: 60,
  max_stream_description_length: 1024,
  max_channel_folder_name_length: 60,
  max_channel_folder_description_length: 1024,
  max_topic_length: 60,
  max_message_length: 10_000,
  max_bulk_new_subscription_messages: 100,
} as const;

/** Minimum number of days between the deactivation of a realm and the deletion of its data. */
export const minRealmDeletionDays = 14;

const permissionDescriptionsByObject = {
  realm: describePermissions(realmPermissions),
  stream: describePermissions(channelPermissionSettings),
  group: describePermissions(userGroupPermissionSettings),
};

/** Returns the POST /register response fields about the server and its capabilities (docs/contract/chat.md 4.3). */
export function getServerSnapshotFields(context: {
  readonly isDevelopment: boolean;
  readonly serverGeneration: number;
  readonly origin: string;
}): object {
  return {
    server_generation: context.serverGeneration,
    server_emoji_data_url: `${context.origin}${emojiDataPath}`,
    server_inline_image_preview: true,
    server_inline_url_embed_preview: false,
    server_avatar_changes_disabled: false,
    server_name_changes_disabled: false,
    server_needs_upgrade: false,
    server_web_public_streams_enabled: false,
    server_can_summarize_topics: false,
    server_min_deactivated_realm_deletion_days: minRealmDeletionDays,
    server_max_deactivated_realm_deletion_days: null,
    server_thumbnail_formats: [
      { name: '840x560.webp', max_width: 840, max_height: 560, format: 'webp', animated: false },
    ],
    server_supported_permission_settings: permissionDescriptionsByObject,
    server_report_message_types: messageReportReasons,
    server_presence_ping_interval_seconds: 60,
    server_presence_offline_threshold_seconds: 200,
    server_typing_started_expiry_period_milliseconds: 45_000,
    server_typing_stopped_wait_period_milliseconds: 12_000,
    server_typing_started_wait_period_milliseconds: 30_000,
    development_environment: context.isDevelopment,
    event_queue_longpoll_timeout_seconds: 90,
    settings_send_digest_emails: false,
    gif_rating_policy_options: gifRatings,
    giphy_rating_options: gifRatings,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: '',
  };
}

/** Reasons that a user can choose when reporting a message. */
export const messageReportReasons = [
  { key: 'spam', name: 'Spam' },
  { key: 'harassment', name: 'Harassment' },
  { key: 'inappropriate', name: 'Inappropriate content' },
  { key: 'norms', name: 'Violates community norms' },
  { key: 'other', name: 'Other reason' },
];

function describePermissions(settings: Readonly<Record<string, PermissionSetting>>): object {
  return Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, describePermission(setting)]));
}

function describePermission(setting: PermissionSetting): object {
  return {
    require_system_group: setting.requiresSystemGroup ?? false,
    allow_internet_group: false,
    allow_nobody_group: setting.allowsNobody ?? true,
    allow_everyone_group: setting.allowsEveryone ?? true,
    default_group_name: setting.creatorName ?? setting.initial,
    default_for_system_groups: null,
    allowed_system_groups: [],
  };
}
