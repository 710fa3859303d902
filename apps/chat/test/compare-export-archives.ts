import type { ArchiveRow, ReadArchive } from './export-archive-reader.js';

/** Function that runs an SQL statement and returns the resulting rows. */
export type RunQuery = <R>(sql: string, params?: unknown[]) => Promise<R[]>;

/** Rows of one table for comparison: the rows in the export archive, and the rows in the database. */
interface Compared {
  readonly archive: readonly unknown[];
  readonly database: readonly unknown[];
}

/** Names of the message flags of the reference server (Zulip), in the order of the bits. */
const referenceFlags = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'group_mentioned',
  'force_expand',
  'force_collapse',
  'has_alert_word',
  'historical',
  'is_private',
];

/** Names of the message flags in the table `user_messages`, in the order of the bits. */
const storedFlags = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
  'group_mentioned',
  'is_private',
];

const flagsOf = (names: readonly string[], bits: number): string =>
  names
    .filter((_name, index) => (bits & (1 << index)) !== 0)
    .toSorted()
    .join();

/**
 * Tables whose rows have equal values in the archive and the database. The values are SQL statements that select the
 * rows with the column names of the archive. Times are rounded to milliseconds. The column `id` is compared only if the
 * statement selects the column.
 */
const sameRows: Readonly<Record<string, string>> = {
  zerver_userprofile: `SELECT id, realm_id AS realm, delivery_email, full_name, role, is_active, bot_type,
    bot_type IS NOT NULL AS is_bot, bot_owner_id AS bot_owner, date_joined, last_login_at AS last_login, timezone,
    avatar_source, avatar_version, email_address_visibility, is_imported_stub, is_deleted, can_create_users,
    default_sending_channel_id AS default_sending_stream FROM users WHERE NOT is_system_bot`,
  zerver_userprofile_crossrealm: 'SELECT id FROM users WHERE is_system_bot',
  zerver_realmdomain: 'SELECT id, domain, allow_subdomains FROM realm_domains',
  zerver_realmemoji: 'SELECT id, name, file_name, author_id AS author, is_animated, deactivated FROM realm_emoji',
  zerver_realmfilter: 'SELECT id, pattern, url_template, position AS "order", example_input FROM realm_linkifiers',
  zerver_realmplayground: 'SELECT id, name, pygments_language, url_template FROM realm_playgrounds',
  zerver_customprofilefield:
    'SELECT id, name, hint, position AS "order", field_type, field_data, required FROM profile_fields',
  zerver_customprofilefieldvalue:
    'SELECT user_id AS user_profile, field_id AS field, value, rendered_value FROM profile_values',
  zerver_userpresence: `SELECT user_id AS user_profile, last_active_at AS last_active_time,
    last_connected_at AS last_connected_time, update_id AS last_update_id FROM presences`,
  zerver_userstatus: 'SELECT user_id AS user_profile, status_text, emoji_code FROM user_statuses',
  zerver_usergroup: 'SELECT id, realm_id AS realm FROM user_groups',
  zerver_namedusergroup: `SELECT id, name, description, creator_id AS creator, date_created, deactivated,
    can_manage_group_id AS can_manage_group FROM user_groups WHERE kind = 'named'
    UNION ALL SELECT id, name, description, creator_id, date_created, deactivated,
      coalesce(can_manage_group_id, (SELECT id FROM user_groups WHERE name = 'role:nobody'))
    FROM user_groups WHERE kind = 'system'`,
  zerver_usergroupmembership: `SELECT group_id AS user_group, user_id AS user_profile FROM user_group_members
    WHERE user_id IN (SELECT id FROM users WHERE NOT is_system_bot)`,
  zerver_groupgroupmembership: 'SELECT group_id AS supergroup, subgroup_id AS subgroup FROM user_group_subgroups',
  zerver_channelfolder: `SELECT id, name, description, rendered_description, position AS "order",
    creator_id AS creator, date_created, is_archived FROM channel_folders`,
  zerver_stream: `SELECT id, name, description, rendered_description, creator_id AS creator, date_created,
    is_archived AS deactivated, folder_id AS folder, is_private AS invite_only, is_web_public,
    history_public_to_subscribers, message_retention_days, can_send_message_group_id AS can_send_message_group,
    can_administer_channel_group_id AS can_administer_channel_group FROM channels`,
  zerver_defaultstream: 'SELECT id AS stream FROM channels WHERE is_default',
  zerver_alertword: 'SELECT id, user_id AS user_profile, word FROM alert_words',
  zerver_muteduser: 'SELECT user_id AS user_profile, muted_user_id AS muted_user, date_muted FROM muted_users',
  zerver_navigationview: 'SELECT id, user_id AS "user", fragment, is_pinned, name FROM navigation_views',
  zerver_savedsnippet: 'SELECT id, user_id AS user_profile, title, content, date_created FROM saved_snippets',
  zerver_onboardingstep: 'SELECT user_id AS "user", step AS onboarding_step FROM onboarding_steps',
  zerver_usertopic: `SELECT user_id AS user_profile, channel_id AS stream, topic AS topic_name, visibility_policy,
    last_updated FROM user_topics`,
  zerver_service: 'SELECT user_id AS user_profile, base_url, interface FROM bot_services',
  zerver_botstoragedata: 'SELECT user_id AS bot_profile, key, value FROM bot_storage',
  zerver_scheduledmessage: `SELECT id, user_id AS sender, topic AS subject, content, rendered_content,
    deliver_at AS scheduled_timestamp, failure AS failure_message, reminder_note FROM scheduled_messages`,
  zerver_reaction: `SELECT id, message_id AS message, user_id AS user_profile, emoji_name, emoji_code, reaction_type
    FROM reactions`,
};

/** Names of the tables to which columns refer, by table and column. `zerver_message` means the exported messages. */
const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zerver_userprofile: {
    bot_owner: 'account',
    recipient: 'zerver_recipient',
    default_sending_stream: 'zerver_stream',
    realm: 'zerver_realm',
  },
  zerver_realm: {
    new_stream_announcements_stream: 'zerver_stream',
    moderation_request_channel: 'zerver_stream',
    can_create_groups: 'zerver_usergroup',
    workplace_users_group: 'zerver_usergroup',
  },
  zerver_stream: {
    creator: 'account',
    recipient: 'zerver_recipient',
    folder: 'zerver_channelfolder',
    can_send_message_group: 'zerver_usergroup',
    can_subscribe_group: 'zerver_usergroup',
  },
  zerver_namedusergroup: {
    creator: 'account',
    usergroup_ptr: 'zerver_usergroup',
    can_mention_group: 'zerver_usergroup',
    can_leave_group: 'zerver_usergroup',
  },
  zerver_usergroupmembership: { user_group: 'zerver_usergroup', user_profile: 'account' },
  zerver_groupgroupmembership: { supergroup: 'zerver_usergroup', subgroup: 'zerver_namedusergroup' },
  zerver_subscription: { user_profile: 'account', recipient: 'zerver_recipient' },
  zerver_huddle: { recipient: 'zerver_recipient' },
  zerver_usertopic: { user_profile: 'account', stream: 'zerver_stream', recipient: 'zerver_recipient' },
  zerver_reaction: { user_profile: 'account', message: 'zerver_message' },
  zerver_scheduledmessage: { sender: 'account', recipient: 'personal', sending_client: 'zerver_client' },
  zerver_userstatus: { user_profile: 'account', client: 'zerver_client' },
  zerver_customprofilefieldvalue: { user_profile: 'account', field: 'zerver_customprofilefield' },
  zerver_message: { sender: 'account', recipient: 'personal', sending_client: 'zerver_client', realm: 'zerver_realm' },
  zerver_usermessage: { user_profile: 'account', message: 'zerver_message' },
};

/**
 * Compares every row of an export archive with the database. The database contains one organization, in which all users
 * consent to the export.
 *
 * @returns one line for each difference
 */
export async function compareArchive(read: ReadArchive, query: RunQuery): Promise<string[]> {
  const differences: string[] = [];
  for (const [table, sql] of Object.entries(sameRows)) {
    const database = await query<Record<string, unknown>>(sql);
    const columns = Object.keys(database[0] ?? {});
    const values = (row: Record<string, unknown>): unknown[] => columns.map((column) => valueOf(row[column]));
    const archive = [...read.rows(table), ...(table === 'zerver_userprofile' ? mirrorDummies(read) : [])];
    if (columns.length === 0 && archive.length > 0) differences.push(`${table}: rows without rows in the database`);
    differences.push(...differencesOf(table, { archive: archive.map(values), database: database.map(values) }));
  }
  differences.push(...differencesOf('zerver_message', await messages(read, query)));
  differences.push(...differencesOf('zerver_usermessage', await userMessages(read, query)));
  differences.push(...differencesOf('zerver_subscription', await subscriptions(read, query)));
  differences.push(...differencesOf('settings', await settings(read, query)));
  differences.push(...danglingReferences(read));
  return differences;
}

const mirrorDummies = (read: ReadArchive): readonly ArchiveRow[] => read.rows('zerver_userprofile_mirrordummy');

/**
 * Normalizes a value of the export archive or of the database, so that equal values compare as equal. Times are
 * converted to milliseconds.
 */
function valueOf(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1000) : value;
}

/** Lists the rows that only the archive or only the database contains, or that occur there more often. */
function differencesOf(table: string, { archive, database }: Compared): string[] {
  const counts = new Map<string, number>();
  const add = (row: unknown, n: number): void => {
    const text = JSON.stringify(row);
    const count = (counts.get(text) ?? 0) + n;
    if (count === 0) counts.delete(text);
    else counts.set(text, count);
  };
  for (const row of archive) add(row, 1);
  for (const row of database) add(row, -1);
  return [...counts].map(([text, count]) => `${table}: ${count > 0 ? 'only archive' : 'only database'} ${text}`);
}

const byId = (rows: readonly ArchiveRow[]): ReadonlyMap<number, ArchiveRow> =>
  new Map(rows.map((row) => [row.id, row]));

/**
 * Returns a function that converts a recipient id in the archive to text: the name of a channel, or the names of all
 * participants.
 */
function recipientNames(read: ReadArchive): (recipient: number, sender: number) => string {
  const recipients = byId(read.rows('zerver_recipient'));
  const bots = new Map(read.rows('zerver_userprofile_crossrealm').map((row) => [row['recipient_id'], row.id]));
  const participants = new Map<number, number[]>();
  for (const row of read.rows('zerver_subscription')) {
    const recipient = Number(row['recipient']);
    const known = participants.get(recipient);
    if (known === undefined) participants.set(recipient, [Number(row['user_profile'])]);
    else known.push(Number(row['user_profile']));
  }
  return (id, sender) => {
    const bot = bots.get(id);
    const { type, type_id: other } = recipients.get(id) ?? { type: bot === undefined ? 0 : 1, type_id: bot };
    if (type === 2) return `channel ${String(other)}`;
    const ids = type === 1 ? [sender, Number(other)] : (participants.get(id) ?? []);
    return [...new Set(ids)].toSorted((a, b) => a - b).join();
  };
}

async function messages(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const clients = byId(read.rows('zerver_client'));
  const nameOf = recipientNames(read);
  const stored = await query<Record<string, unknown>>(
    `SELECT m.id, m.sender_id, c.name AS client, m.date_sent, x.content, x.rendered_content, m.has_link, m.has_image,
       m.has_attachment, CASE WHEN r.channel_id IS NULL THEN '' ELSE coalesce(
         CASE WHEN m.topic_since = t.last_renaming_id THEN m.topic END, t.topic) END AS topic,
       coalesce('channel ' || r.channel_id, array_to_string(r.participant_ids, ',')) AS recipient,
       coalesce(jsonb_array_length(m.edit_history), 0) AS edits
     FROM messages m JOIN clients c ON c.id = m.client_id JOIN recipients r ON r.id = m.recipient_id
       JOIN message_texts x ON x.message_id = m.id LEFT JOIN topics t ON t.id = m.topic_id`,
  );
  const columns = ['date_sent', 'content', 'rendered_content', 'has_link', 'has_image', 'has_attachment'];
  const values = (row: Record<string, unknown>) => columns.map((column) => milliseconds(row[column]));
  return {
    archive: read.messages.map((row) => [
      row.id,
      row['sender'],
      clients.get(Number(row['sending_client']))?.['name'],
      values(row),
      row['subject'],
      nameOf(Number(row['recipient']), Number(row['sender'])),
      (JSON.parse(String(row['edit_history'] ?? '[]')) as { prev_content?: string }[]).length,
    ]),
    database: stored.map((row) => [
      row['id'],
      row['sender_id'],
      row['client'],
      values(row),
      row['topic'],
      row['recipient'],
      row['edits'],
    ]),
  };
}

/** Converts a time from the archive or the database to milliseconds. Returns other values unchanged. */
function milliseconds(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' ? Math.round(value * 1000) : value;
}

async function userMessages(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const stored = await query<{ user_id: number; message_id: number; flags: number }>(
    `SELECT user_id, message_id, flags FROM user_messages
     WHERE user_id IN (SELECT id FROM users WHERE NOT is_system_bot)`,
  );
  return {
    archive: read.userMessages.map((row) => [
      row['user_profile'],
      row['message'],
      flagsOf(referenceFlags, Number(row['flags_mask'])),
    ]),
    database: stored.map((row) => [row.user_id, row.message_id, flagsOf(storedFlags, row.flags)]),
  };
}

async function subscriptions(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const nameOf = recipientNames(read);
  const stored = await query<Record<string, unknown>>(
    `SELECT s.user_id AS user, 'channel ' || s.channel_id AS recipient, s.is_active AS active, s.color, s.is_muted,
       s.pin_to_top, s.push_notifications FROM subscriptions s JOIN users u ON u.id = s.user_id WHERE NOT u.is_system_bot`,
  );
  return {
    archive: read
      .rows('zerver_subscription')
      .map((row) => [
        row['user_profile'],
        nameOf(Number(row['recipient']), 0),
        row['active'],
        row['color'],
        row['is_muted'],
        row['pin_to_top'],
        row['push_notifications'],
      ])
      .filter(([, recipient]) => String(recipient).startsWith('channel')),
    database: stored.map((row) => Object.values(row)),
  };
}

/**
 * Compares the stored settings of users and of the realm with the settings in the archive. Only settings that differ
 * from the defaults are stored.
 */
async function settings(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const users = byId([...read.rows('zerver_userprofile'), ...mirrorDummies(read)]);
  const stored = await query<{ id: number; key: string; value: unknown }>(
    `SELECT u.id, s.key, s.value FROM users u CROSS JOIN jsonb_each(u.settings) s
     WHERE NOT u.is_system_bot AND s.key <> 'resolved_topic_notice_auto_read_policy'`,
  );
  const [realm] = read.rows('zerver_realm');
  const ofRealm = await query<{ key: string; value: unknown }>(
    `SELECT s.key, s.value FROM realms r CROSS JOIN jsonb_each(r.settings) s`,
  );
  return {
    archive: [
      ...stored.map(({ id, key }) => [id, key, users.get(id)?.[key]]),
      ...ofRealm.map(({ key }) => realm?.[key]),
    ],
    database: [...stored.map(({ id, key, value }) => [id, key, value]), ...ofRealm.map(({ value }) => value)],
  };
}

function danglingReferences(read: ReadArchive): string[] {
  const accounts = ['zerver_userprofile', 'zerver_userprofile_mirrordummy', 'zerver_userprofile_crossrealm'];
  const ids = new Map<string, Set<unknown>>();
  const idsOf = (table: string): Set<unknown> => {
    const known = ids.get(table);
    if (known !== undefined) return known;
    const found = new Set<unknown>(rowsOf(read, table, accounts).map(({ id }) => id));
    if (table === 'personal')
      for (const row of read.rows('zerver_userprofile_crossrealm')) found.add(row['recipient_id']);
    ids.set(table, found);
    return found;
  };
  return Object.entries(references).flatMap(([table, columns]) =>
    rowsOf(read, table, accounts).flatMap((row) =>
      Object.entries(columns).flatMap(([column, target]) =>
        row[column] === undefined || (row[column] !== null && !idsOf(target).has(row[column]))
          ? [`${table}.${column}: ${String(row[column])} of row ${row.id} is not in ${target}`]
          : [],
      ),
    ),
  );
}

function rowsOf(read: ReadArchive, table: string, accounts: readonly string[]): readonly ArchiveRow[] {
  if (table === 'zerver_message') return read.messages;
  if (table === 'zerver_usermessage') return read.userMessages;
  if (table === 'account') return accounts.flatMap((name) => read.rows(name));
  return read.rows(table === 'personal' ? 'zerver_recipient' : table);
}
