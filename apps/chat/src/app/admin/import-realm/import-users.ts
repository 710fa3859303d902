import { userRoleNumbers } from '../../../infra/http/chat-actor.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { systemBots, userSettingsSchema } from '../../../core/users/index.js';
import { assignUsersToRoleGroups } from '../../../core/user-groups/index.js';
import { AdminError } from '../admin-error.js';
import { readArchivedSettings } from './archived-settings.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedChannels, ImportedUser } from './import-context.js';
import { readEmailVisibility } from './import-realm-row.js';
import { insertImportedRows } from './insert-rows.js';

const importedUserColumns = {
  id: 'int',
  realm_id: 'int',
  delivery_email: 'text',
  delivery_email_key: 'text',
  full_name: 'text',
  role: 'int',
  is_active: 'boolean',
  is_deleted: 'boolean',
  is_imported_stub: 'boolean',
  is_system_bot: 'boolean',
  bot_type: 'int',
  avatar_source: 'text',
  avatar_version: 'int',
  default_all_public_channels: 'boolean',
  timezone: 'text',
  email_address_visibility: 'int',
  settings: 'jsonb',
  edited_settings: 'text[]',
  can_create_users: 'boolean',
  can_change_user_emails: 'boolean',
  can_forge_sender: 'boolean',
  rate_limits: 'text',
  awaits_first_login: 'boolean',
  date_joined: 'timestamptz',
  last_login_at: 'timestamptz',
  api_key_sealed: 'text',
  api_key_digest: 'text',
  api_key_pepper_id: 'int',
};

/**
 * Values of `users` columns for imported users. The archive does not contain these columns, or only the operator of a
 * server may set them.
 */
const initialImportedUserColumnValues = {
  is_system_bot: false,
  avatar_source: 'G',
  edited_settings: [],
  can_create_users: false,
  can_change_user_emails: false,
  can_forge_sender: false,
  rate_limits: '',
  awaits_first_login: false,
};

const importableRoleNumbers: readonly number[] = Object.values(userRoleNumbers);
const archivedUserTableNames = ['zerver_userprofile', 'zerver_userprofile_mirrordummy'];
const genericBotType = 1;

/** System bots of this service, by the email addresses of the same bots in archives of Zulip. */
const systemBotByArchivedName = new Map(
  systemBots.map((bot) => [`${bot.name === 'email-gateway' ? 'emailgateway' : bot.name}@zulip.com`, bot]),
);

/** Inserts the user accounts and system bots of the archive, without passwords and API keys. */
export async function importUsers(context: RealmImportContext): Promise<Map<number, ImportedUser>> {
  const { tx, archive, report, realmId } = context;
  const users = new Map<number, ImportedUser>();
  for (const table of archivedUserTableNames) {
    for await (const rows of archive.tables.readTableInBatches(table)) {
      const added = rows.map((row) => convertArchivedUserRow(context, row));
      await insertImportedRows(tx, 'users', importedUserColumns, added);
      for (const user of added) {
        const translatesEmoticons = user.settings['translate_emoticons'] === true;
        users.set(user.id, { fullName: user.full_name, isActive: user.is_active, translatesEmoticons });
      }
      reportSkippedOperatorRights(report, rows);
    }
  }
  await assignUsersToRoleGroups(tx, realmId, null);
  report.addImportedRowCount('users', users.size);
  await importSystemBots(context, users);
  return users;
}

function convertArchivedUserRow({ realmId, report, apiKeys }: RealmImportContext, row: ArchivedTableRow) {
  const email = row.readText('delivery_email');
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new AdminError(`The address of the user ${row.readId()} is not valid.`);
  const archivedRole = row.readInteger('role');
  if (!importableRoleNumbers.includes(archivedRole))
    throw new AdminError(`The role of the user ${row.readId()} is not known.`);
  // Owners of bots see the keys of their bots; a person gets a key with the first request for it.
  const key = row.readBoolean('is_bot') ? apiKeys.create(row.readId()) : null;
  return {
    ...initialImportedUserColumnValues,
    ...(key !== null && { api_key_sealed: key.sealed, api_key_digest: key.digest, api_key_pepper_id: key.pepperId }),
    id: row.readId(),
    realm_id: realmId,
    delivery_email: email,
    delivery_email_key: normalizeTextForComparison(email),
    full_name: row.readText('full_name'),
    role: archivedRole,
    is_active: row.readBoolean('is_active'),
    is_deleted: row.readBoolean('is_deleted'),
    is_imported_stub: row.readBoolean('is_imported_stub'),
    bot_type: row.readBoolean('is_bot') ? (row.readOptionalInteger('bot_type') ?? genericBotType) : null,
    avatar_version: Math.max(1, row.readOptionalInteger('avatar_version') ?? 1),
    default_all_public_channels: row.readBoolean('default_all_public_streams'),
    timezone: row.readOptionalText('timezone') ?? '',
    email_address_visibility: readEmailVisibility(row) ?? 1,
    settings: readArchivedSettings(userSettingsSchema, row, report),
    date_joined: row.readTime('date_joined'),
    last_login_at: row.readOptionalTime('last_login'),
  };
}

function reportSkippedOperatorRights(report: RealmImportContext['report'], rows: readonly ArchivedTableRow[]): void {
  for (const right of ['can_create_users', 'can_change_user_emails', 'can_forge_sender']) {
    report.addSkippedRowCount(
      `rights ${right}, which set-grant grants`,
      rows.filter((row) => row.readBoolean(right)).length,
    );
  }
}

async function importSystemBots(context: RealmImportContext, users: Map<number, ImportedUser>): Promise<void> {
  const { tx, archive, realmId, host } = context;
  const bots = (await archive.tables.readTable('zerver_userprofile_crossrealm')).filter(
    (row) => !users.has(row.readId()),
  );
  const [realm] = await archive.tables.readTable('zerver_realm');
  const joined = realm?.readTime('date_created');
  const emails = bots.map((row) => row.readText('email'));
  const added = bots.map((row, index) => {
    const email = row.readText('email');
    const known = emails.indexOf(email) === index ? systemBotByArchivedName.get(email) : undefined;
    const { name, fullName } = known ?? { name: `system-bot-${row.readId()}`, fullName: email };
    const ownEmail = `${name}@${host}`;
    return {
      ...initialImportedUserColumnValues,
      id: row.readId(),
      realm_id: realmId,
      delivery_email: ownEmail,
      delivery_email_key: normalizeTextForComparison(ownEmail),
      full_name: fullName,
      role: userRoleNumbers.member,
      is_active: true,
      is_deleted: false,
      is_imported_stub: false,
      is_system_bot: true,
      bot_type: genericBotType,
      avatar_version: 1,
      default_all_public_channels: false,
      timezone: '',
      email_address_visibility: 1,
      settings: {},
      date_joined: joined,
      last_login_at: null,
    };
  });
  await insertImportedRows(tx, 'users', importedUserColumns, added);
  for (const { id, full_name: fullName } of added) {
    users.set(id, { fullName, isActive: true, translatesEmoticons: false });
  }
}

/** Sets the columns of imported users that refer to other users and to channels. */
export async function importReferencesOfUsers(
  { tx, archive }: RealmImportContext,
  users: ReadonlyMap<number, ImportedUser>,
  channels: ImportedChannels,
): Promise<void> {
  for (const table of archivedUserTableNames) {
    for await (const rows of archive.tables.readTableInBatches(table)) {
      const channelIn = (column: string) => (row: ArchivedTableRow) => {
        const id = row.readOptionalId(column);
        return id !== null && channels.has(id) ? id : null;
      };
      const owners = rows.map((row) => row.readOptionalId('bot_owner'));
      await tx.query(
        `UPDATE users u SET bot_owner_id = sent.owner, default_sending_channel_id = sent.sending,
           default_events_register_channel_id = sent.events
         FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]) AS sent(id, owner, sending, events)
         WHERE u.id = sent.id AND num_nonnulls(sent.owner, sent.sending, sent.events) > 0`,
        [
          rows.map((row) => row.readId()),
          owners.map((id) => (id !== null && users.has(id) ? id : null)),
          rows.map(channelIn('default_sending_stream')),
          rows.map(channelIn('default_events_register_stream')),
        ],
      );
    }
  }
}
