import { roleNumbers } from '../../../infra/http/chat-actor.js';
import { toTextKey } from '../../../infra/normalized-text-key.js';
import { systemBots, userSettings } from '../../../core/users/index.js';
import { assignRoleGroups } from '../../../core/user-groups/index.js';
import { AdminError } from '../admin-error.js';
import { readArchivedSettings } from './archived-settings.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportContext, ImportedChannels, ImportedUser } from './import-context.js';
import { readEmailVisibility } from './import-realm-row.js';
import { insertRows } from './insert-rows.js';

const userColumns = {
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
const initialUserColumns = {
  is_system_bot: false,
  avatar_source: 'G',
  edited_settings: [],
  can_create_users: false,
  can_change_user_emails: false,
  can_forge_sender: false,
  rate_limits: '',
  awaits_first_login: false,
};

const importedRoles: readonly number[] = Object.values(roleNumbers);
const importedUserTables = ['zerver_userprofile', 'zerver_userprofile_mirrordummy'];
const genericBotType = 1;

/** System bots of this service, by the email addresses of the same bots in archives of Zulip. */
const systemBotByArchivedName = new Map(
  systemBots.map((bot) => [`${bot.name === 'email-gateway' ? 'emailgateway' : bot.name}@zulip.com`, bot]),
);

/** Inserts the user accounts and system bots of the archive, without passwords and API keys. */
export async function importUsers(context: ImportContext): Promise<Map<number, ImportedUser>> {
  const { tx, archive, report, realmId } = context;
  const users = new Map<number, ImportedUser>();
  for (const table of importedUserTables) {
    for await (const rows of archive.tables.readBatches(table)) {
      const added = rows.map((row) => toUserRow(context, row));
      await insertRows(tx, 'users', userColumns, added);
      for (const user of added) {
        const translatesEmoticons = user.settings['translate_emoticons'] === true;
        users.set(user.id, { fullName: user.full_name, isActive: user.is_active, translatesEmoticons });
      }
      countOperatorRights(report, rows);
    }
  }
  await assignRoleGroups(tx, realmId, null);
  report.addImported('users', users.size);
  await importSystemBots(context, users);
  return users;
}

function toUserRow({ realmId, report, apiKeys }: ImportContext, row: ArchiveRow) {
  const email = row.text('delivery_email');
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new AdminError(`The address of the user ${row.id()} is not valid.`);
  const archivedRole = row.integer('role');
  if (!importedRoles.includes(archivedRole)) throw new AdminError(`The role of the user ${row.id()} is not known.`);
  // Owners of bots see the keys of their bots; a person gets a key with the first request for it.
  const key = row.boolean('is_bot') ? apiKeys.create(row.id()) : null;
  return {
    ...initialUserColumns,
    ...(key !== null && { api_key_sealed: key.sealed, api_key_digest: key.digest, api_key_pepper_id: key.pepperId }),
    id: row.id(),
    realm_id: realmId,
    delivery_email: email,
    delivery_email_key: toTextKey(email),
    full_name: row.text('full_name'),
    role: archivedRole,
    is_active: row.boolean('is_active'),
    is_deleted: row.boolean('is_deleted'),
    is_imported_stub: row.boolean('is_imported_stub'),
    bot_type: row.boolean('is_bot') ? (row.optionalInteger('bot_type') ?? genericBotType) : null,
    avatar_version: Math.max(1, row.optionalInteger('avatar_version') ?? 1),
    default_all_public_channels: row.boolean('default_all_public_streams'),
    timezone: row.optionalText('timezone') ?? '',
    email_address_visibility: readEmailVisibility(row) ?? 1,
    settings: readArchivedSettings(userSettings, row, report),
    date_joined: row.time('date_joined'),
    last_login_at: row.optionalTime('last_login'),
  };
}

function countOperatorRights(report: ImportContext['report'], rows: readonly ArchiveRow[]): void {
  for (const right of ['can_create_users', 'can_change_user_emails', 'can_forge_sender']) {
    report.addSkipped(`rights ${right}, which set-grant grants`, rows.filter((row) => row.boolean(right)).length);
  }
}

async function importSystemBots(context: ImportContext, users: Map<number, ImportedUser>): Promise<void> {
  const { tx, archive, realmId, host } = context;
  const bots = (await archive.tables.readTable('zerver_userprofile_crossrealm')).filter((row) => !users.has(row.id()));
  const [realm] = await archive.tables.readTable('zerver_realm');
  const joined = realm?.time('date_created');
  const emails = bots.map((row) => row.text('email'));
  const added = bots.map((row, index) => {
    const email = row.text('email');
    const known = emails.indexOf(email) === index ? systemBotByArchivedName.get(email) : undefined;
    const { name, fullName } = known ?? { name: `system-bot-${row.id()}`, fullName: email };
    const ownEmail = `${name}@${host}`;
    return {
      ...initialUserColumns,
      id: row.id(),
      realm_id: realmId,
      delivery_email: ownEmail,
      delivery_email_key: toTextKey(ownEmail),
      full_name: fullName,
      role: roleNumbers.member,
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
  await insertRows(tx, 'users', userColumns, added);
  for (const { id, full_name: fullName } of added) {
    users.set(id, { fullName, isActive: true, translatesEmoticons: false });
  }
}

/** Sets the columns of imported users that refer to other users and to channels. */
export async function importUserReferences(
  { tx, archive }: ImportContext,
  users: ReadonlyMap<number, ImportedUser>,
  channels: ImportedChannels,
): Promise<void> {
  for (const table of importedUserTables) {
    for await (const rows of archive.tables.readBatches(table)) {
      const channelIn = (column: string) => (row: ArchiveRow) => {
        const id = row.optionalId(column);
        return id !== null && channels.has(id) ? id : null;
      };
      const owners = rows.map((row) => row.optionalId('bot_owner'));
      await tx.query(
        `UPDATE users u SET bot_owner_id = sent.owner, default_sending_channel_id = sent.sending,
           default_events_register_channel_id = sent.events
         FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]) AS sent(id, owner, sending, events)
         WHERE u.id = sent.id AND num_nonnulls(sent.owner, sent.sending, sent.events) > 0`,
        [
          rows.map((row) => row.id()),
          owners.map((id) => (id !== null && users.has(id) ? id : null)),
          rows.map(channelIn('default_sending_stream')),
          rows.map(channelIn('default_events_register_stream')),
        ],
      );
    }
  }
}
