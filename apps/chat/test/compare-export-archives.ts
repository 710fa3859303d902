import { type Compared, differencesOf, type RunQuery } from './archive-differences.js';
import { compareCopiedFiles, type ReadStoredFile } from './compare-exported-files.js';
import type { ArchiveRow, ReadArchive } from './export-archive-reader.js';
import { references, sameRows } from './exported-table-queries.js';

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
 * Compares every row and every copied file of an export archive with the database and the storage. The database contains one organization, in which all users
 * consent to the export.
 *
 * @returns one line for each difference
 */
export async function compareArchive(
  read: ReadArchive,
  query: RunQuery,
  readStored: ReadStoredFile,
): Promise<string[]> {
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
  differences.push(...(await compareCopiedFiles(read, query, readStored)));
  differences.push(...danglingReferences(read));
  return differences;
}

const mirrorDummies = (read: ReadArchive): readonly ArchiveRow[] => read.rows('zerver_userprofile_mirrordummy');

/**
 * Normalizes a value of the export archive or of the database, so that equal values compare as equal. Times are
 * converted to UNIX seconds with a precision of milliseconds.
 */
function valueOf(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
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
       m.last_edit_at, m.last_moved_at, x.rendered_version, m.edit_history,
       (SELECT max(n.renamed_at) FROM topic_renamings n
         WHERE n.topic_id = m.topic_id AND n.id > m.topic_since AND NOT n.is_resolution) AS renamed_at,
       (SELECT json_agg(json_build_object('user_id', n.user_id, 'topic', n.topic, 'timestamp',
           floor(extract(epoch FROM n.renamed_at)), 'prev_topic', CASE WHEN n.id = (SELECT min(first.id)
             FROM topic_renamings first WHERE first.topic_id = m.topic_id AND first.id > m.topic_since)
             THEN coalesce(m.topic, n.topic_before) ELSE n.topic_before END) ORDER BY n.id DESC)
         FROM topic_renamings n WHERE n.topic_id = m.topic_id AND n.id > m.topic_since) AS renamings
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
      row['rendered_content_version'],
      milliseconds(row['last_edit_time']),
      (JSON.parse(String(row['edit_history'] ?? '[]')) as object[]).map(sortFields),
    ]),
    database: stored.map((row) => [
      row['id'],
      row['sender_id'],
      row['client'],
      values(row),
      row['topic'],
      row['recipient'],
      row['rendered_version'],
      lastEditOf(row),
      editsOf(row).map(sortFields),
    ]),
  };
}

/** Time in milliseconds at which a message was last edited or moved, or its topic was renamed; null if never. */
function lastEditOf(row: Record<string, unknown>): number | null {
  const moved = row['renamed_at'] ?? row['last_moved_at'];
  const times = [row['last_edit_at'], moved].flatMap((time) => (time instanceof Date ? [time.getTime()] : []));
  return times.length === 0 ? null : Math.max(...times);
}

/** Edit history of a stored message, newest entry first. Entries without an editor get the sender as the editor. */
function editsOf(row: Record<string, unknown>): object[] {
  const stored = (row['edit_history'] ?? []) as { user_id: number | null }[];
  const renamings = (row['renamings'] ?? []) as object[];
  return [...renamings, ...stored.map((edit) => ({ ...edit, user_id: edit.user_id ?? row['sender_id'] }))];
}

const sortFields = (edit: object): unknown[] => Object.entries(edit).toSorted(([one], [two]) => (one < two ? -1 : 1));

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

const notificationSettings = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
];

/** Compares the subscriptions of channels, and the rows of the participants of direct conversations. */
async function subscriptions(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const nameOf = recipientNames(read);
  const initial = `true AS active, '#c2c2c2' AS color, false AS is_muted, false AS pin_to_top,
    ${notificationSettings.map((name) => `NULL::boolean AS ${name}`).join(', ')}, u.is_active AS is_user_active`;
  const stored = await query<Record<string, unknown>>(
    `SELECT s.user_id AS user, 'channel ' || s.channel_id AS recipient, s.is_active AS active, s.color, s.is_muted,
       s.pin_to_top, ${notificationSettings.map((name) => `s.${name}`).join(', ')}, u.is_active AS is_user_active
     FROM subscriptions s JOIN users u ON u.id = s.user_id WHERE NOT u.is_system_bot
     UNION ALL SELECT u.id, u.id::text, ${initial} FROM users u WHERE NOT u.is_system_bot
     UNION ALL SELECT u.id, array_to_string(r.participant_ids, ','), ${initial}
     FROM recipients r JOIN users u ON u.id = ANY(r.participant_ids) WHERE cardinality(r.participant_ids) > 2`,
  );
  const columns = ['active', 'color', 'is_muted', 'pin_to_top', ...notificationSettings, 'is_user_active'];
  return {
    archive: read
      .rows('zerver_subscription')
      .map((row) => [
        row['user_profile'],
        nameOf(Number(row['recipient']), Number(row['user_profile'])),
        ...columns.map((column) => row[column]),
      ]),
    database: stored.map((row) => Object.values(row)),
  };
}

/**
 * Compares the stored settings of users and of the realm, the defaults of new users and the permissions of the realm
 * with the archive. Only settings that differ from the defaults are stored.
 */
async function settings(read: ReadArchive, query: RunQuery): Promise<Compared> {
  const users = byId([...read.rows('zerver_userprofile'), ...mirrorDummies(read)]);
  const stored = await query<{ id: number; key: string; value: unknown }>(
    `SELECT u.id, s.key, s.value FROM users u CROSS JOIN jsonb_each(u.settings) s
     WHERE NOT u.is_system_bot AND s.key <> 'resolved_topic_notice_auto_read_policy'`,
  );
  const ofRealm = await query<{ source: string; key: string; value: unknown }>(
    `SELECT 'zerver_realm' AS source, s.key, s.value FROM realms r CROSS JOIN jsonb_each(r.settings) s
     UNION ALL SELECT 'zerver_realmuserdefault', s.key, s.value
     FROM realms r CROSS JOIN jsonb_each(r.user_settings_defaults) s
     UNION ALL SELECT 'zerver_realm', setting, to_jsonb(group_id) FROM realm_permissions`,
  );
  return {
    archive: [
      ...stored.map(({ id, key }) => [id, key, users.get(id)?.[key]]),
      ...ofRealm.map(({ source, key }) => [source, key, read.rows(source)[0]?.[key]]),
    ],
    database: [
      ...stored.map(({ id, key, value }) => [id, key, value]),
      ...ofRealm.map(({ source, key, value }) => [source, key, value]),
    ],
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
