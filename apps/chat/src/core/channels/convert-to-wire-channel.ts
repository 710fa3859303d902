import type { PermissionValueByGroupId, SystemGroupIdByName } from '../user-groups/index.js';
import type { StoredChannel, SubscriptionRow } from './channels.repository.js';
import type { WireChannel, WireSubscription } from './wire-channel.js';

/** Pairs of a system group's name and the corresponding value of the older channel field `stream_post_policy`. */
const channelPostPolicyByGroup = [
  ['role:administrators', 2],
  ['role:fullmembers', 3],
  ['role:moderators', 4],
] as const;

/**
 * User groups that are needed to convert channel rows to the JSON form of the API: groups with permissions on the
 * channels, and system groups.
 */
export interface WireChannelContext {
  readonly values: PermissionValueByGroupId;
  readonly systemGroups: SystemGroupIdByName;
}

/**
 * Returns a channel's value of the older field `stream_post_policy`. The value states which users can send messages: 1
 * all users, 2 administrators, 3 full members, 4 moderators.
 */
export function getChannelPostPolicy(
  groupId: number,
  systemGroups: SystemGroupIdByName,
): WireChannel['stream_post_policy'] {
  return channelPostPolicyByGroup.find(([name]) => systemGroups.get(name) === groupId)?.[1] ?? 1;
}

/** Converts a database row of a channel to the JSON form of the API. */
export function toWireChannel(row: StoredChannel, { values, systemGroups }: WireChannelContext): WireChannel {
  const policy = getChannelPostPolicy(row.can_send_message_group_id, systemGroups);
  return {
    stream_id: row.id,
    name: row.name,
    description: row.description,
    rendered_description: row.rendered_description,
    date_created: row.date_created,
    creator_id: row.creator_id,
    invite_only: row.is_private,
    is_web_public: row.is_web_public,
    is_archived: row.is_archived,
    history_public_to_subscribers: row.history_public_to_subscribers,
    first_message_id: row.first_message_id,
    folder_id: row.folder_id,
    is_recently_active: row.is_recently_active,
    is_announcement_only: policy === 2,
    stream_post_policy: policy,
    message_retention_days: row.message_retention_days,
    topics_policy: row.topics_policy,
    subscriber_count: row.subscriber_count,
    stream_weekly_traffic: row.weekly_traffic,
    can_add_subscribers_group: values.getPermissionValue(row.can_add_subscribers_group_id),
    can_remove_subscribers_group: values.getPermissionValue(row.can_remove_subscribers_group_id),
    can_administer_channel_group: values.getPermissionValue(row.can_administer_channel_group_id),
    can_delete_any_message_group: values.getPermissionValue(row.can_delete_any_message_group_id),
    can_delete_own_message_group: values.getPermissionValue(row.can_delete_own_message_group_id),
    can_move_messages_out_of_channel_group: values.getPermissionValue(row.can_move_messages_out_of_channel_group_id),
    can_move_messages_within_channel_group: values.getPermissionValue(row.can_move_messages_within_channel_group_id),
    can_send_message_group: values.getPermissionValue(row.can_send_message_group_id),
    can_subscribe_group: values.getPermissionValue(row.can_subscribe_group_id),
    can_resolve_topics_group: values.getPermissionValue(row.can_resolve_topics_group_id),
    can_create_topic_group: values.getPermissionValue(row.can_create_topic_group_id),
  };
}

/**
 * Notification settings that a subscription inherits. Null values for clients that support inheritance; the values of
 * the user's own settings for older clients.
 */
export type InheritedNotificationSettings = Pick<
  SubscriptionRow,
  | 'desktop_notifications'
  | 'audible_notifications'
  | 'push_notifications'
  | 'email_notifications'
  | 'wildcard_mentions_notify'
>;

/**
 * Inherited notification settings in the form for clients that support inheritance. Each value is null, which means
 * that the user's own setting applies.
 */
export const allNotificationSettingsInherited: InheritedNotificationSettings = {
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};

/**
 * Returns the fields of a subscription that the subscriber can change, such as the color and the notification settings.
 */
export function getChangeableSubscriptionFields(
  row: SubscriptionRow,
  defaults: InheritedNotificationSettings,
): Omit<WireSubscription, keyof WireChannel | 'subscribers' | 'partial_subscribers'> {
  return {
    color: row.color,
    is_muted: row.is_muted,
    in_home_view: !row.is_muted,
    pin_to_top: row.pin_to_top,
    desktop_notifications: row.desktop_notifications ?? defaults.desktop_notifications,
    audible_notifications: row.audible_notifications ?? defaults.audible_notifications,
    push_notifications: row.push_notifications ?? defaults.push_notifications,
    email_notifications: row.email_notifications ?? defaults.email_notifications,
    wildcard_mentions_notify: row.wildcard_mentions_notify ?? defaults.wildcard_mentions_notify,
  };
}
