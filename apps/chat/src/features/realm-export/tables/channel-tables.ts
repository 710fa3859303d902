import { channelPermissionSettings } from '../../../core/access/permission-settings.js';
import { type ExportedTable, createIntegerKeyColumns, type ExportedTableRowSource } from './exported-table.js';
import {
  createUnixSecondsSql,
  isExportedAsAccountSql,
  createPrivateDataExportedSql,
  isExportedAsPlaceholderSql,
  createPersonalRecipientIdSql,
  createExportedRecipientIdSql,
} from './export-sql-expressions.js';

const channelPermissionColumnsSql = Object.keys(channelPermissionSettings)
  .map((name) => `'${name}', c.${name}_id`)
  .join(', ');

const channelTopicsPolicyNumberSql = `array_position(
  ARRAY['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only'], c.topics_policy)`;

/** Color that an export gives to the subscribed channels of users whose settings are private. */
const defaultSubscriptionColor = '#c2c2c2';

/**
 * Returns the SQL expression for a column of a subscription that is exported only for consenting users. Other users get
 * the value `otherwise`.
 */
const createPersonalSubscriptionValueSql = (column: string, otherwise: string): string =>
  `CASE WHEN ${createPrivateDataExportedSql('s.user_id')} THEN s.${column} ELSE ${otherwise} END`;

const notificationSettingNames = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
];

const exportedChannelSubscriptions: ExportedTableRowSource = {
  row: `json_build_object('user_profile', s.user_id, 'recipient', ${createExportedRecipientIdSql('r.id')}, 'active', s.is_active,
    'is_user_active', u.is_active AND NOT (${isExportedAsPlaceholderSql}), 'is_muted', ${createPersonalSubscriptionValueSql('is_muted', 'false')},
    'color', ${createPersonalSubscriptionValueSql('color', `'${defaultSubscriptionColor}'`)}, 'pin_to_top', ${createPersonalSubscriptionValueSql('pin_to_top', 'false')},
    ${notificationSettingNames.map((name) => `'${name}', ${createPersonalSubscriptionValueSql(name, 'NULL')}`).join(', ')})`,
  from: `subscriptions s JOIN users u ON u.id = s.user_id JOIN recipients r ON r.channel_id = s.channel_id
    WHERE ${isExportedAsAccountSql}`,
  key: [
    { sql: 's.user_id', type: 'int' },
    { sql: 's.channel_id', type: 'int' },
  ],
  isNumbered: true,
};

/**
 * Returns SQL that builds the exported subscription row of a user in a direct message conversation. The row contains
 * default settings.
 */
const createDirectSubscriptionRowSql = (userId: string, recipient: string, isActive: string): string =>
  `json_build_object('user_profile', ${userId}, 'recipient', ${recipient}, 'active', true,
    'is_user_active', ${isActive}, 'is_muted', false, 'color', '${defaultSubscriptionColor}', 'pin_to_top', false,
    ${notificationSettingNames.map((name) => `'${name}', NULL`).join(', ')})`;

/**
 * SQL condition that the conversation `r` belongs to a non-public export: at least three participants, of whom at least
 * one user consents.
 */
const isExportedGroupConversationSql = `r.realm_id = $1 AND NOT $3 AND cardinality(r.participant_ids) > 2
  AND r.participant_ids && $2::int[]`;

const exportedPersonalSubscriptions: ExportedTableRowSource = {
  row: createDirectSubscriptionRowSql(
    'u.id',
    createPersonalRecipientIdSql('u.id'),
    `u.is_active AND NOT (${isExportedAsPlaceholderSql})`,
  ),
  from: `users u WHERE ${isExportedAsAccountSql}`,
  key: createIntegerKeyColumns('u.id'),
  isNumbered: true,
};

const exportedConversationSubscriptions: ExportedTableRowSource = {
  row: createDirectSubscriptionRowSql(
    'u.id',
    createExportedRecipientIdSql('r.id'),
    `u.is_active AND NOT (${isExportedAsPlaceholderSql})`,
  ),
  from: `recipients r JOIN users u ON u.id = ANY(r.participant_ids) WHERE ${isExportedGroupConversationSql}`,
  key: [
    { sql: 'r.id', type: 'int' },
    { sql: 'u.id', type: 'int' },
  ],
  isNumbered: true,
};

/** Definitions of the exported tables of channels, conversations and subscriptions. */
export const exportedChannelTables: readonly ExportedTable[] = [
  {
    name: 'zerver_channelfolder',
    sources: [
      {
        row: `json_build_object('id', f.id, 'realm', f.realm_id, 'name', f.name, 'description', f.description,
          'rendered_description', f.rendered_description, 'order', f.position, 'creator', f.creator_id,
          'date_created', ${createUnixSecondsSql('f.date_created')}, 'is_archived', f.is_archived)`,
        from: 'channel_folders f WHERE f.realm_id = $1',
        key: createIntegerKeyColumns('f.id'),
      },
    ],
  },
  {
    name: 'zerver_stream',
    sources: [
      {
        row: `json_build_object('id', c.id, 'realm', c.realm_id, 'name', c.name, 'description', c.description,
          'rendered_description', c.rendered_description, 'date_created', ${createUnixSecondsSql('c.date_created')},
          'creator', c.creator_id, 'deactivated', c.is_archived, 'recipient', ${createExportedRecipientIdSql('r.id')},
          'folder', c.folder_id, 'invite_only', c.is_private, 'is_web_public', c.is_web_public,
          'history_public_to_subscribers', c.history_public_to_subscribers, 'topics_policy', ${channelTopicsPolicyNumberSql},
          'message_retention_days', c.message_retention_days, 'first_message_id', NULL,
          'is_recently_active', c.is_recently_active, 'subscriber_count', coalesce((
            SELECT sum(n) FROM subscriber_counts sc WHERE sc.channel_id = c.id), 0), ${channelPermissionColumnsSql})`,
        from: 'channels c JOIN recipients r ON r.channel_id = c.id WHERE c.realm_id = $1',
        key: createIntegerKeyColumns('c.id'),
      },
    ],
  },
  {
    name: 'zerver_defaultstream',
    sources: [
      {
        row: `json_build_object('id', c.id, 'realm', c.realm_id, 'stream', c.id)`,
        from: 'channels c WHERE c.realm_id = $1 AND c.is_default',
        key: createIntegerKeyColumns('c.id'),
      },
    ],
  },
  {
    name: 'zerver_huddle',
    sources: [
      {
        row: `json_build_object('id', r.id, 'recipient', ${createExportedRecipientIdSql('r.id')},
          'huddle_hash', md5(array_to_string(r.participant_ids, ',')), 'group_size', cardinality(r.participant_ids))`,
        from: `recipients r WHERE ${isExportedGroupConversationSql}`,
        key: createIntegerKeyColumns('r.id'),
      },
    ],
  },
  {
    name: 'zerver_recipient',
    sources: [
      {
        row: `json_build_object('id', ${createPersonalRecipientIdSql('u.id')}, 'type', 1, 'type_id', u.id)`,
        from: `users u WHERE ${isExportedAsAccountSql}`,
        key: createIntegerKeyColumns('u.id'),
      },
      {
        row: `json_build_object('id', ${createExportedRecipientIdSql('r.id')}, 'type', 2, 'type_id', r.channel_id)`,
        from: 'recipients r WHERE r.realm_id = $1 AND r.channel_id IS NOT NULL',
        key: createIntegerKeyColumns('r.id'),
      },
      {
        row: `json_build_object('id', ${createExportedRecipientIdSql('r.id')}, 'type', 3, 'type_id', r.id)`,
        from: `recipients r WHERE ${isExportedGroupConversationSql}`,
        key: createIntegerKeyColumns('r.id'),
      },
    ],
  },
  {
    name: 'zerver_subscription',
    sources: [exportedPersonalSubscriptions, exportedChannelSubscriptions, exportedConversationSubscriptions],
  },
];
