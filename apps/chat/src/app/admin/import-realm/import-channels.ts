import {
  channelPermissionSettings,
  realmPermissions,
  type PermissionSetting,
} from '../../../core/access/permission-settings.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { getArchivedSettingChoice } from './archived-settings.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { ArchivedUserGroupReferences } from './group-references.js';
import type { RealmImportContext, ImportedChannel, ImportedChannels, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const channelPermissionSettingNames = Object.entries<PermissionSetting>(channelPermissionSettings);

const importedChannelColumns = {
  id: 'int',
  realm_id: 'int',
  name: 'text',
  name_key: 'text',
  description: 'text',
  rendered_description: 'text',
  creator_id: 'int',
  date_created: 'timestamptz',
  is_private: 'boolean',
  is_web_public: 'boolean',
  history_public_to_subscribers: 'boolean',
  is_archived: 'boolean',
  is_default: 'boolean',
  is_recently_active: 'boolean',
  topics_policy: 'text',
  message_retention_days: 'int',
  folder_id: 'int',
  ...Object.fromEntries(channelPermissionSettingNames.map(([name]) => [`${name}_id`, 'int'])),
};

const importedChannelFolderColumns = {
  id: 'int',
  realm_id: 'int',
  name: 'text',
  name_key: 'text',
  description: 'text',
  rendered_description: 'text',
  position: 'int',
  creator_id: 'int',
  date_created: 'timestamptz',
  is_archived: 'boolean',
};

/**
 * Inserts the channels of the archive with their folders and recipient rows, and the default channel groups, which are
 * sets of channels for new users.
 */
export async function importChannels(
  context: RealmImportContext,
  groups: ArchivedUserGroupReferences,
  users: ImportedUsers,
): Promise<Map<number, ImportedChannel>> {
  const { tx, realmId, archive, report } = context;
  const folderIds = await importChannelFolders(context, users);
  const defaults = new Set((await archive.tables.readTable('zerver_defaultstream')).map((row) => row.readId('stream')));
  const channels = new Map<number, ImportedChannel>();
  for await (const rows of archive.tables.readTableInBatches('zerver_stream')) {
    const added = rows.map((row) => {
      const folderId = row.readOptionalId('folder');
      return {
        ...convertArchivedChannelRow(context, row, groups),
        creator_id: findImportedUserId(row, 'creator', users),
        is_default: defaults.has(row.readId()),
        folder_id: folderId !== null && folderIds.has(folderId) ? folderId : null,
      };
    });
    await insertImportedRows(tx, 'channels', importedChannelColumns, added);
    for (const { id, name, is_private: isPrivate } of added) channels.set(id, { name, isPrivate });
  }
  await tx.query('INSERT INTO recipients (realm_id, channel_id) SELECT $1, id FROM channels WHERE realm_id = $1', [
    realmId,
  ]);
  report.addImportedRowCount('channels', channels.size);
  await importDefaultChannelGroups(context, channels);
  return channels;
}

function convertArchivedChannelRow(
  { realmId, renderer }: RealmImportContext,
  row: ArchivedTableRow,
  groups: ArchivedUserGroupReferences,
) {
  const name = row.readText('name');
  const description = row.readOptionalText('description') ?? '';
  const isPrivate = row.readBoolean('invite_only');
  return {
    id: row.readId(),
    realm_id: realmId,
    name,
    name_key: normalizeTextForComparison(name),
    description,
    rendered_description: renderer.renderPlain(description),
    date_created: row.readTime('date_created'),
    is_private: isPrivate,
    is_web_public: !isPrivate && row.readBoolean('is_web_public'),
    history_public_to_subscribers: !isPrivate || row.readBoolean('history_public_to_subscribers'),
    is_archived: row.readBoolean('deactivated'),
    is_recently_active: row.readOptionalBoolean('is_recently_active') ?? true,
    topics_policy: getArchivedSettingChoice(row, 'topics_policy') ?? 'inherit',
    message_retention_days: row.readOptionalInteger('message_retention_days'),
    ...Object.fromEntries(
      channelPermissionSettingNames.map(([name_, setting]) => [
        `${name_}_id`,
        groups.resolvePermissionGroupId(row, name_, setting),
      ]),
    ),
  };
}

async function importChannelFolders(context: RealmImportContext, users: ImportedUsers): Promise<ReadonlySet<number>> {
  const { tx, realmId, archive, renderer, report } = context;
  const rows = (await archive.tables.readTable('zerver_channelfolder')).map((row) => {
    const [name, description] = [row.readText('name'), row.readOptionalText('description') ?? ''];
    return {
      id: row.readId(),
      realm_id: realmId,
      name,
      name_key: normalizeTextForComparison(name),
      description,
      rendered_description: renderer.renderPlain(description),
      position: row.readOptionalInteger('order') ?? row.readId(),
      creator_id: findImportedUserId(row, 'creator', users),
      date_created: row.readOptionalTime('date_created') ?? new Date(0).toISOString(),
      is_archived: row.readBoolean('is_archived'),
    };
  });
  await insertImportedRows(tx, 'channel_folders', importedChannelFolderColumns, rows);
  report.addImportedRowCount('channel folders', rows.length);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Inserts the default channel groups. Archives of this service may contain default channel groups; archives of Zulip do
 * not.
 */
async function importDefaultChannelGroups(
  { tx, realmId, archive: { tables } }: RealmImportContext,
  channels: ImportedChannels,
): Promise<void> {
  const rows = await tables.readTable('zerver_defaultstreamgroup');
  await insertImportedRows(
    tx,
    'default_channel_groups',
    { id: 'int', realm_id: 'int', name: 'text', description: 'text' },
    rows.map((row) => ({
      id: row.readId(),
      realm_id: realmId,
      name: row.readText('name'),
      description: row.readOptionalText('description') ?? '',
    })),
  );
  const members = rows.flatMap((row) =>
    row.readMessageIds('streams').map((channelId) => ({ group_id: row.readId(), channel_id: channelId })),
  );
  const known = members.filter(({ channel_id: id }) => channels.has(id));
  const columns = { group_id: 'int', channel_id: 'int' };
  await insertImportedRows(tx, 'default_channel_group_channels', columns, known, { skipsDuplicates: true });
}

/**
 * Columns of an organization that refer to special channels, such as the channel for announcements, by the column names
 * in the archive.
 */
const realmColumnsThatReferenceChannels = {
  new_stream_announcements_stream: 'new_stream_announcements_channel_id',
  signup_announcements_stream: 'signup_announcements_channel_id',
  zulip_update_announcements_stream: 'zulip_update_announcements_channel_id',
  moderation_request_channel: 'moderation_request_channel_id',
} as const;

/**
 * Stores the organization's special channels, such as the channel for announcements, and the organization's
 * permissions.
 */
export async function importRealmChannelReferences(
  { tx, realmId }: RealmImportContext,
  realm: ArchivedTableRow,
  groups: ArchivedUserGroupReferences,
  channels: ImportedChannels,
): Promise<void> {
  for (const [archived, column] of Object.entries(realmColumnsThatReferenceChannels)) {
    const id = realm.readOptionalId(archived);
    if (id === null || !channels.has(id)) continue;
    await tx.query(`UPDATE realms SET ${column} = $2 WHERE id = $1`, [realmId, id]);
  }
  const rows = Object.entries<PermissionSetting>(realmPermissions).map(([setting, definition]) => ({
    realm_id: realmId,
    setting,
    group_id: groups.resolvePermissionGroupId(realm, setting, definition),
  }));
  await insertImportedRows(tx, 'realm_permissions', { realm_id: 'int', setting: 'text', group_id: 'int' }, rows);
  await tx.query('DELETE FROM user_groups WHERE id = ANY($1)', [groups.listUnusedAnonymousGroups()]);
}

function findImportedUserId(row: ArchivedTableRow, column: string, users: ImportedUsers): number | null {
  const id = row.readOptionalId(column);
  return id !== null && users.has(id) ? id : null;
}
