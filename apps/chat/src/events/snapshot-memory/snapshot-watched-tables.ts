import type { WatchedTable } from '@switchboard/database';

/**
 * Numbers of the data models whose tables the cache of snapshot data covers, equal to the numbers in
 * `changes.model_changes`.
 */
export const snapshotModels = { users: 1, profileValues: 2, groups: 3, channels: 4, subscribers: 5 } as const;

/**
 * Database tables with a trigger that records changes. Lists for each table the columns that the cache of snapshot data
 * does not contain.
 */
export const watchedTables: readonly WatchedTable[] = [
  {
    table: 'users',
    model: snapshotModels.users,
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
  { table: 'profile_values', model: snapshotModels.profileValues },
  { table: 'user_groups', model: snapshotModels.groups },
  { table: 'user_group_members', model: snapshotModels.groups },
  { table: 'user_group_subgroups', model: snapshotModels.groups },
  { table: 'channels', model: snapshotModels.channels },
  {
    table: 'subscriptions',
    model: snapshotModels.subscribers,
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
