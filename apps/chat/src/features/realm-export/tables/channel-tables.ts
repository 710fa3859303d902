import { channelPermissionSettings } from '../../../core/access/permission-settings.js';
import { type ExportedTable, integerKeyColumn, type ExportedTableRows } from './exported-table.js';
import {
  toUnixSecondsSql,
  isAccountSql,
  isConsentingSql,
  isStubAccountSql,
  personalRecipientSql,
  recipientSql,
} from './export-sql-expressions.js';

const permissionsSql = Object.keys(channelPermissionSettings)
  .map((name) => `'${name}', c.${name}_id`)
  .join(', ');

const topicsPolicySql = `array_position(
  ARRAY['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only'], c.topics_policy)`;

/** Color that an export gives to the subscribed channels of users whose settings are private. */
const defaultSubscriptionColor = '#c2c2c2';

/**
 * Returns the SQL expression for a column of a subscription that is exported only for consenting users. Other users get
 * the value `otherwise`.
 */
const personalSubscriptionValueSql = (column: string, otherwise: string): string =>
  `CASE WHEN ${isConsentingSql('s.user_id')} THEN s.${column} ELSE ${otherwise} END`;

const notificationSettings = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
];

const channelSubscriptions: ExportedTableRows = {
  row: `json_build_object('user_profile', s.user_id, 'recipient', ${recipientSql('r.id')}, 'active', s.is_active,
    'is_user_active', u.is_active AND NOT (${isStubAccountSql}), 'is_muted', ${personalSubscriptionValueSql('is_muted', 'false')},
    'color', ${personalSubscriptionValueSql('color', `'${defaultSubscriptionColor}'`)}, 'pin_to_top', ${personalSubscriptionValueSql('pin_to_top', 'false')},
    ${notificationSettings.map((name) => `'${name}', ${personalSubscriptionValueSql(name, 'NULL')}`).join(', ')})`,
  from: `subscriptions s JOIN users u ON u.id = s.user_id JOIN recipients r ON r.channel_id = s.channel_id
    WHERE ${isAccountSql}`,
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
const directSubscription = (userId: string, recipient: string, isActive: string): string =>
  `json_build_object('user_profile', ${userId}, 'recipient', ${recipient}, 'active', true,
    'is_user_active', ${isActive}, 'is_muted', false, 'color', '${defaultSubscriptionColor}', 'pin_to_top', false,
    ${notificationSettings.map((name) => `'${name}', NULL`).join(', ')})`;

/**
 * SQL condition that the conversation `r` belongs to a non-public export: at least three participants, of whom at least
 * one user consents.
 */
const isGroupConversationSql = `r.realm_id = $1 AND NOT $3 AND cardinality(r.participant_ids) > 2
  AND r.participant_ids && $2::int[]`;

const personalSubscriptions: ExportedTableRows = {
  row: directSubscription('u.id', personalRecipientSql('u.id'), `u.is_active AND NOT (${isStubAccountSql})`),
  from: `users u WHERE ${isAccountSql}`,
  key: integerKeyColumn('u.id'),
  isNumbered: true,
};

const conversationSubscriptions: ExportedTableRows = {
  row: directSubscription('u.id', recipientSql('r.id'), `u.is_active AND NOT (${isStubAccountSql})`),
  from: `recipients r JOIN users u ON u.id = ANY(r.participant_ids) WHERE ${isGroupConversationSql}`,
  key: [
    { sql: 'r.id', type: 'int' },
    { sql: 'u.id', type: 'int' },
  ],
  isNumbered: true,
};

/** Definitions of the exported tables of channels, conversations and subscriptions. */
export const channelTables: readonly ExportedTable[] = [
  {
    name: 'zerver_channelfolder',
    sources: [
      {
        row: `json_build_object('id', f.id, 'realm', f.realm_id, 'name', f.name, 'description', f.description,
          'rendered_description', f.rendered_description, 'order', f.position, 'creator', f.creator_id,
          'date_created', ${toUnixSecondsSql('f.date_created')}, 'is_archived', f.is_archived)`,
        from: 'channel_folders f WHERE f.realm_id = $1',
        key: integerKeyColumn('f.id'),
      },
    ],
  },
  {
    name: 'zerver_stream',
    sources: [
      {
        row: `json_build_object('id', c.id, 'realm', c.realm_id, 'name', c.name, 'description', c.description,
          'rendered_description', c.rendered_description, 'date_created', ${toUnixSecondsSql('c.date_created')},
          'creator', c.creator_id, 'deactivated', c.is_archived, 'recipient', ${recipientSql('r.id')},
          'folder', c.folder_id, 'invite_only', c.is_private, 'is_web_public', c.is_web_public,
          'history_public_to_subscribers', c.history_public_to_subscribers, 'topics_policy', ${topicsPolicySql},
          'message_retention_days', c.message_retention_days, 'first_message_id', NULL,
          'is_recently_active', c.is_recently_active, 'subscriber_count', coalesce((
            SELECT sum(n) FROM subscriber_counts sc WHERE sc.channel_id = c.id), 0), ${permissionsSql})`,
        from: 'channels c JOIN recipients r ON r.channel_id = c.id WHERE c.realm_id = $1',
        key: integerKeyColumn('c.id'),
      },
    ],
  },
  {
    name: 'zerver_defaultstream',
    sources: [
      {
        row: `json_build_object('id', c.id, 'realm', c.realm_id, 'stream', c.id)`,
        from: 'channels c WHERE c.realm_id = $1 AND c.is_default',
        key: integerKeyColumn('c.id'),
      },
    ],
  },
  {
    name: 'zerver_huddle',
    sources: [
      {
        row: `json_build_object('id', r.id, 'recipient', ${recipientSql('r.id')},
          'huddle_hash', md5(array_to_string(r.participant_ids, ',')), 'group_size', cardinality(r.participant_ids))`,
        from: `recipients r WHERE ${isGroupConversationSql}`,
        key: integerKeyColumn('r.id'),
      },
    ],
  },
  {
    name: 'zerver_recipient',
    sources: [
      {
        row: `json_build_object('id', ${personalRecipientSql('u.id')}, 'type', 1, 'type_id', u.id)`,
        from: `users u WHERE ${isAccountSql}`,
        key: integerKeyColumn('u.id'),
      },
      {
        row: `json_build_object('id', ${recipientSql('r.id')}, 'type', 2, 'type_id', r.channel_id)`,
        from: 'recipients r WHERE r.realm_id = $1 AND r.channel_id IS NOT NULL',
        key: integerKeyColumn('r.id'),
      },
      {
        row: `json_build_object('id', ${recipientSql('r.id')}, 'type', 3, 'type_id', r.id)`,
        from: `recipients r WHERE ${isGroupConversationSql}`,
        key: integerKeyColumn('r.id'),
      },
    ],
  },
  {
    name: 'zerver_subscription',
    sources: [personalSubscriptions, channelSubscriptions, conversationSubscriptions],
  },
];
