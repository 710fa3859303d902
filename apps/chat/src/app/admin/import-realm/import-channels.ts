import {
  channelPermissionSettings,
  realmPermissions,
  type PermissionSetting,
} from '../../../core/access/permission-settings.js';
import { toTextKey } from '../../../infra/normalized-text-key.js';
import { getArchivedChoice } from './archived-settings.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { GroupReferences } from './group-references.js';
import type { ImportContext, ImportedChannel, ImportedChannels, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const channelPermissionSettingNames = Object.entries<PermissionSetting>(channelPermissionSettings);

const channelColumns = {
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

const folderColumns = {
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
  context: ImportContext,
  groups: GroupReferences,
  users: ImportedUsers,
): Promise<Map<number, ImportedChannel>> {
  const { tx, realmId, archive, report } = context;
  const folderIds = await importFolders(context, users);
  const defaults = new Set((await archive.tables.readTable('zerver_defaultstream')).map((row) => row.id('stream')));
  const channels = new Map<number, ImportedChannel>();
  for await (const rows of archive.tables.readBatches('zerver_stream')) {
    const added = rows.map((row) => {
      const folderId = row.optionalId('folder');
      return {
        ...toChannelRow(context, row, groups),
        creator_id: importedUserId(row, 'creator', users),
        is_default: defaults.has(row.id()),
        folder_id: folderId !== null && folderIds.has(folderId) ? folderId : null,
      };
    });
    await insertRows(tx, 'channels', channelColumns, added);
    for (const { id, name, is_private: isPrivate } of added) channels.set(id, { name, isPrivate });
  }
  await tx.query('INSERT INTO recipients (realm_id, channel_id) SELECT $1, id FROM channels WHERE realm_id = $1', [
    realmId,
  ]);
  report.addImported('channels', channels.size);
  await importDefaultGroups(context, channels);
  return channels;
}

function toChannelRow({ realmId, renderer }: ImportContext, row: ArchiveRow, groups: GroupReferences) {
  const name = row.text('name');
  const description = row.optionalText('description') ?? '';
  const isPrivate = row.boolean('invite_only');
  return {
    id: row.id(),
    realm_id: realmId,
    name,
    name_key: toTextKey(name),
    description,
    rendered_description: renderer.renderPlain(description),
    date_created: row.time('date_created'),
    is_private: isPrivate,
    is_web_public: !isPrivate && row.boolean('is_web_public'),
    history_public_to_subscribers: !isPrivate || row.boolean('history_public_to_subscribers'),
    is_archived: row.boolean('deactivated'),
    is_recently_active: row.optionalBoolean('is_recently_active') ?? true,
    topics_policy: getArchivedChoice(row, 'topics_policy') ?? 'inherit',
    message_retention_days: row.optionalInteger('message_retention_days'),
    ...Object.fromEntries(
      channelPermissionSettingNames.map(([name_, setting]) => [
        `${name_}_id`,
        groups.resolveGroup(row, name_, setting),
      ]),
    ),
  };
}

async function importFolders(context: ImportContext, users: ImportedUsers): Promise<ReadonlySet<number>> {
  const { tx, realmId, archive, renderer, report } = context;
  const rows = (await archive.tables.readTable('zerver_channelfolder')).map((row) => {
    const [name, description] = [row.text('name'), row.optionalText('description') ?? ''];
    return {
      id: row.id(),
      realm_id: realmId,
      name,
      name_key: toTextKey(name),
      description,
      rendered_description: renderer.renderPlain(description),
      position: row.optionalInteger('order') ?? row.id(),
      creator_id: importedUserId(row, 'creator', users),
      date_created: row.optionalTime('date_created') ?? new Date(0).toISOString(),
      is_archived: row.boolean('is_archived'),
    };
  });
  await insertRows(tx, 'channel_folders', folderColumns, rows);
  report.addImported('channel folders', rows.length);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Inserts the default channel groups. Archives of this service may contain default channel groups; archives of Zulip do
 * not.
 */
async function importDefaultGroups(
  { tx, realmId, archive: { tables } }: ImportContext,
  channels: ImportedChannels,
): Promise<void> {
  const rows = await tables.readTable('zerver_defaultstreamgroup');
  await insertRows(
    tx,
    'default_channel_groups',
    { id: 'int', realm_id: 'int', name: 'text', description: 'text' },
    rows.map((row) => ({
      id: row.id(),
      realm_id: realmId,
      name: row.text('name'),
      description: row.optionalText('description') ?? '',
    })),
  );
  const members = rows.flatMap((row) =>
    row.messageIds('streams').map((channelId) => ({ group_id: row.id(), channel_id: channelId })),
  );
  const known = members.filter(({ channel_id: id }) => channels.has(id));
  const columns = { group_id: 'int', channel_id: 'int' };
  await insertRows(tx, 'default_channel_group_channels', columns, known, { skipsDuplicates: true });
}

/**
 * Columns of an organization that refer to special channels, such as the channel for announcements, by the column names
 * in the archive.
 */
const realmChannelReferenceColumns = {
  new_stream_announcements_stream: 'new_stream_announcements_channel_id',
  signup_announcements_stream: 'signup_announcements_channel_id',
  zulip_update_announcements_stream: 'zulip_update_announcements_channel_id',
  moderation_request_channel: 'moderation_request_channel_id',
} as const;

/**
 * Stores the organization's special channels, such as the channel for announcements, and the organization's
 * permissions.
 */
export async function importRealmReferences(
  { tx, realmId }: ImportContext,
  realm: ArchiveRow,
  groups: GroupReferences,
  channels: ImportedChannels,
): Promise<void> {
  for (const [archived, column] of Object.entries(realmChannelReferenceColumns)) {
    const id = realm.optionalId(archived);
    if (id === null || !channels.has(id)) continue;
    await tx.query(`UPDATE realms SET ${column} = $2 WHERE id = $1`, [realmId, id]);
  }
  const rows = Object.entries<PermissionSetting>(realmPermissions).map(([setting, definition]) => ({
    realm_id: realmId,
    setting,
    group_id: groups.resolveGroup(realm, setting, definition),
  }));
  await insertRows(tx, 'realm_permissions', { realm_id: 'int', setting: 'text', group_id: 'int' }, rows);
  await tx.query('DELETE FROM user_groups WHERE id = ANY($1)', [groups.listUnusedAnonymousGroups()]);
}

function importedUserId(row: ArchiveRow, column: string, users: ImportedUsers): number | null {
  const id = row.optionalId(column);
  return id !== null && users.has(id) ? id : null;
}
