import type { ChangeRecordedTable } from '@switchboard/database';

/**
 * Numbers of the data models whose tables the cache of snapshot data covers, equal to the numbers in
 * `changes.model_changes`.
 */
export const snapshotDataModelNumbers = { users: 1, profileValues: 2, groups: 3, channels: 4, subscribers: 5 } as const;

/**
 * Database tables with a trigger that records changes. Lists for each table the columns that the cache of snapshot data
 * does not contain.
 */
export const tablesWithChangeTrigger: readonly ChangeRecordedTable[] = [
  {
    table: 'users',
    model: snapshotDataModelNumbers.users,
    ignoredColumns: [
      'delivery_email_key',
      'awaits_first_login',
      'default_sending_channel_id',
      'default_events_register_channel_id',
      'default_all_public_channels',
      'avatar_key',
      'settings',
      'edited_settings',
      'password_hash',
      'api_key_sealed',
      'api_key_digest',
      'api_key_pepper_id',
      'can_create_users',
      'can_change_user_emails',
      'can_forge_sender',
      'rate_limits',
      'last_login_at',
    ],
  },
  { table: 'profile_values', model: snapshotDataModelNumbers.profileValues },
  { table: 'user_groups', model: snapshotDataModelNumbers.groups },
  { table: 'user_group_members', model: snapshotDataModelNumbers.groups },
  { table: 'user_group_subgroups', model: snapshotDataModelNumbers.groups },
  { table: 'channels', model: snapshotDataModelNumbers.channels },
  {
    table: 'subscriptions',
    model: snapshotDataModelNumbers.subscribers,
    ignoredColumns: [
      'color',
      'is_muted',
      'pin_to_top',
      'desktop_notifications',
      'audible_notifications',
      'push_notifications',
      'email_notifications',
      'wildcard_mentions_notify',
    ],
  },
];
