import { type ExportedTable, createIntegerKeyColumns } from './exported-table.js';
import { unknownExportClientId } from './realm-tables.js';
import {
  createUnixSecondsSql,
  isExportedAsAccountSql,
  createPrivateDataExportedSql,
  createPersonalRecipientIdSql,
  createExportedRecipientIdSql,
} from './export-sql-expressions.js';

/** SQL condition that private data of the user `u` is exported. */
const isPrivateDataExportedSql = `${isExportedAsAccountSql} AND ${createPrivateDataExportedSql('u.id')}`;

/** SQL expression for the ids of all participants of the scheduled direct message `s`, in ascending order. */
const scheduledMessageParticipantIdsSql = `ARRAY(SELECT DISTINCT p FROM unnest(s.to_ids || s.user_id) p ORDER BY 1)`;

/**
 * SQL expression for the recipient id of the scheduled message `s`. The value is null if the conversation does not
 * exist yet.
 */
const scheduledMessageRecipientIdSql = `CASE
  WHEN s.type = 'stream' THEN (SELECT ${createExportedRecipientIdSql('r.id')} FROM recipients r WHERE r.channel_id = s.to_ids[1])
  WHEN s.type = 'reminder' THEN ${createPersonalRecipientIdSql('s.user_id')}
  WHEN cardinality(${scheduledMessageParticipantIdsSql}) <= 2 THEN ${createPersonalRecipientIdSql(
    'coalesce((SELECT p FROM unnest(s.to_ids) p WHERE p <> s.user_id LIMIT 1), s.user_id)',
  )}
  ELSE (SELECT ${createExportedRecipientIdSql('r.id')} FROM recipients r WHERE r.realm_id = $1 AND r.participants_key =
    encode(sha256(convert_to(array_to_string(${scheduledMessageParticipantIdsSql}, ','), 'UTF8')), 'hex')) END`;

/**
 * Definitions of the exported tables with private data of consenting users, which only the owner of the data can see.
 */
export const exportedPersonalTables: readonly ExportedTable[] = [
  {
    name: 'zerver_alertword',
    sources: [
      {
        row: `json_build_object('id', w.id, 'realm', u.realm_id, 'user_profile', w.user_id, 'word', w.word)`,
        from: `alert_words w JOIN users u ON u.id = w.user_id WHERE ${isPrivateDataExportedSql}`,
        key: createIntegerKeyColumns('w.id'),
      },
    ],
  },
  {
    name: 'zerver_muteduser',
    sources: [
      {
        row: `json_build_object('user_profile', m.user_id, 'muted_user', m.muted_user_id,
          'date_muted', ${createUnixSecondsSql('m.date_muted')})`,
        from: `muted_users m JOIN users u ON u.id = m.user_id WHERE ${isPrivateDataExportedSql}`,
        key: [
          { sql: 'm.user_id', type: 'int' },
          { sql: 'm.muted_user_id', type: 'int' },
        ],
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_navigationview',
    sources: [
      {
        row: `json_build_object('id', v.id, 'user', v.user_id, 'fragment', v.fragment, 'is_pinned', v.is_pinned,
          'name', v.name)`,
        from: `navigation_views v JOIN users u ON u.id = v.user_id WHERE ${isPrivateDataExportedSql}`,
        key: createIntegerKeyColumns('v.id'),
      },
    ],
  },
  {
    name: 'zerver_savedsnippet',
    sources: [
      {
        row: `json_build_object('id', s.id, 'realm', u.realm_id, 'user_profile', s.user_id, 'title', s.title,
          'content', s.content, 'date_created', ${createUnixSecondsSql('s.date_created')})`,
        from: `saved_snippets s JOIN users u ON u.id = s.user_id WHERE ${isPrivateDataExportedSql}`,
        key: createIntegerKeyColumns('s.id'),
      },
    ],
  },
  {
    name: 'zerver_onboardingstep',
    sources: [
      {
        row: `json_build_object('user', o.user_id, 'onboarding_step', o.step, 'timestamp', ${createUnixSecondsSql('u.date_joined')})`,
        from: `onboarding_steps o JOIN users u ON u.id = o.user_id WHERE ${isPrivateDataExportedSql}`,
        key: [
          { sql: 'o.user_id', type: 'int' },
          { sql: 'o.step', type: 'text' },
        ],
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_usertopic',
    sources: [
      {
        row: `json_build_object('user_profile', t.user_id, 'stream', t.channel_id, 'recipient', ${createExportedRecipientIdSql('r.id')},
          'topic_name', t.topic, 'visibility_policy', t.visibility_policy, 'last_updated', ${createUnixSecondsSql('t.last_updated')})`,
        from: `user_topics t JOIN users u ON u.id = t.user_id JOIN recipients r ON r.channel_id = t.channel_id
          WHERE ${isPrivateDataExportedSql}`,
        key: [
          { sql: 't.user_id', type: 'int' },
          { sql: 't.channel_id', type: 'int' },
          { sql: 't.topic_key', type: 'text' },
        ],
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_service',
    sources: [
      {
        row: `json_build_object('id', b.user_id, 'user_profile', b.user_id, 'name', u.full_name, 'base_url', b.base_url,
          'interface', b.interface, 'token', '')`,
        from: `bot_services b JOIN users u ON u.id = b.user_id WHERE ${isPrivateDataExportedSql}`,
        key: createIntegerKeyColumns('b.user_id'),
      },
    ],
  },
  {
    name: 'zerver_botstoragedata',
    sources: [
      {
        row: `json_build_object('bot_profile', b.user_id, 'key', b.key, 'value', b.value)`,
        from: `bot_storage b JOIN users u ON u.id = b.user_id WHERE ${isPrivateDataExportedSql}`,
        key: [
          { sql: 'b.user_id', type: 'int' },
          { sql: 'b.key', type: 'text' },
        ],
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_scheduledmessage',
    sources: [
      {
        row: `json_build_object('id', s.id, 'realm', u.realm_id, 'sender', s.user_id, 'recipient', ${scheduledMessageRecipientIdSql},
          'stream', CASE s.type WHEN 'stream' THEN s.to_ids[1] END, 'subject', s.topic, 'content', s.content,
          'rendered_content', s.rendered_content,
          'sending_client', coalesce((SELECT id FROM clients WHERE name = s.client), ${unknownExportClientId}),
          'scheduled_timestamp', ${createUnixSecondsSql('s.deliver_at')}, 'request_timestamp', ${createUnixSecondsSql('s.deliver_at')},
          'read_by_sender', s.read_by_sender, 'delivered', false, 'delivered_message', NULL,
          'has_attachment', s.content LIKE '%/user_uploads/%', 'failed', s.failure IS NOT NULL,
          'failure_message', s.failure, 'delivery_type', CASE s.type WHEN 'reminder' THEN 2 ELSE 1 END,
          'reminder_target_message_id', s.reminder_message_id, 'reminder_note', s.reminder_note)`,
        from: `scheduled_messages s JOIN users u ON u.id = s.user_id
          WHERE ${isPrivateDataExportedSql} AND ${scheduledMessageRecipientIdSql} IS NOT NULL`,
        key: createIntegerKeyColumns('s.id'),
      },
    ],
  },
];
