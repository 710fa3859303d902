/** Name of a system group, which every realm has (docs/contract/chat.md 6.2). */
export type SystemGroupName =
  | 'role:internet'
  | 'role:everyone'
  | 'role:members'
  | 'role:fullmembers'
  | 'role:moderators'
  | 'role:administrators'
  | 'role:owners'
  | 'role:nobody';

/**
 * Properties of a permission (docs/contract/chat.md 6.3): its default group, and restrictions on the groups to which
 * the permission can be given.
 */
export interface PermissionSetting {
  readonly initial: SystemGroupName;
  /** True if the permission can be given only to system groups. */
  readonly requiresSystemGroup?: boolean;
  /** True if the permission can be given to the empty group `role:nobody`. The default is true. */
  readonly allowsNobody?: boolean;
  /** True if the permission can be given to the group `role:everyone`, which includes guests. The default is true. */
  readonly allowsEveryone?: boolean;
  /**
   * Name that clients see for a permission's default group if this group contains only the creator of the channel or
   * user group.
   */
  readonly creatorName?: 'channel_creator' | 'group_creator';
}

const everyoneGroupNotAllowed = { allowsEveryone: false } as const;

/** The permissions of a realm by name. The table `realm_permissions` stores one row per permission. */
export const realmPermissions = {
  can_access_all_users_group: { initial: 'role:everyone', requiresSystemGroup: true, allowsNobody: false },
  can_add_custom_emoji_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_add_subscribers_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_create_bots_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_create_groups: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_create_private_channel_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_create_public_channel_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_create_web_public_channel_group: {
    initial: 'role:owners',
    requiresSystemGroup: true,
    ...everyoneGroupNotAllowed,
  },
  can_create_write_only_bots_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_delete_any_message_group: { initial: 'role:administrators', ...everyoneGroupNotAllowed },
  can_delete_own_message_group: { initial: 'role:everyone' },
  can_invite_users_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_manage_all_groups: { initial: 'role:owners', ...everyoneGroupNotAllowed },
  can_manage_billing_group: { initial: 'role:administrators', ...everyoneGroupNotAllowed },
  can_mention_many_users_group: { initial: 'role:administrators' },
  can_move_messages_between_channels_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_move_messages_between_topics_group: { initial: 'role:everyone' },
  can_resolve_topics_group: { initial: 'role:everyone' },
  can_set_delete_message_policy_group: { initial: 'role:moderators', ...everyoneGroupNotAllowed },
  can_set_topics_policy_group: { initial: 'role:members', ...everyoneGroupNotAllowed },
  can_summarize_topics_group: { initial: 'role:everyone' },
  create_multiuse_invite_group: { initial: 'role:administrators', ...everyoneGroupNotAllowed },
  direct_message_initiator_group: { initial: 'role:everyone' },
  direct_message_permission_group: { initial: 'role:everyone', requiresSystemGroup: true },
} as const satisfies Readonly<Record<string, PermissionSetting>>;

/** Name of a permission of the realm. */
export type RealmPermission = keyof typeof realmPermissions;

const channelCreatorPermissionDefaults = { initial: 'role:nobody', creatorName: 'channel_creator' } as const;
const userGroupCreatorPermissionDefaults = { initial: 'role:nobody', creatorName: 'group_creator' } as const;

/** The permissions of a channel by name, with their default values. */
export const channelPermissionSettings = {
  can_add_subscribers_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
  can_administer_channel_group: { ...channelCreatorPermissionDefaults, ...everyoneGroupNotAllowed },
  can_create_topic_group: { initial: 'role:everyone' },
  can_delete_any_message_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
  can_delete_own_message_group: { initial: 'role:nobody' },
  can_move_messages_out_of_channel_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
  can_move_messages_within_channel_group: { initial: 'role:nobody' },
  can_remove_subscribers_group: { initial: 'role:administrators', ...everyoneGroupNotAllowed },
  can_resolve_topics_group: { initial: 'role:nobody' },
  can_send_message_group: { initial: 'role:everyone' },
  can_subscribe_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
} as const satisfies Readonly<Record<string, PermissionSetting>>;

/** The permissions of a user group by name, with their default values. */
export const userGroupPermissionSettings = {
  can_add_members_group: { ...userGroupCreatorPermissionDefaults, ...everyoneGroupNotAllowed },
  can_join_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
  can_leave_group: { initial: 'role:everyone' },
  can_manage_group: { ...userGroupCreatorPermissionDefaults, ...everyoneGroupNotAllowed },
  can_mention_group: { initial: 'role:everyone' },
  can_remove_members_group: { initial: 'role:nobody', ...everyoneGroupNotAllowed },
} as const satisfies Readonly<Record<string, PermissionSetting>>;

export type UserGroupPermissionName = keyof typeof userGroupPermissionSettings;

/** Names of the permissions of a user group. The table `user_groups` has a column `<name>_id` for each permission. */
export const userGroupPermissionNames: readonly UserGroupPermissionName[] = [
  'can_add_members_group',
  'can_join_group',
  'can_leave_group',
  'can_manage_group',
  'can_mention_group',
  'can_remove_members_group',
];
