import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { MentionableObjectsByName } from './archived-names.js';
import type { ArchiveTables } from './archive/archive-tables.js';
import type { ArchivedUserGroupReferences } from './group-references.js';
import type { ImportedChannels, ImportedUsers } from './import-context.js';

/** Returns the imported users, groups and channels that messages may mention. */
export async function readMentionableObjectsByName(
  tables: ArchiveTables,
  {
    users,
    channels,
    groups,
  }: { users: ImportedUsers; channels: ImportedChannels; groups: ArchivedUserGroupReferences },
): Promise<MentionableObjectsByName> {
  const usersByName = new Map<string, number>();
  const namesakes = new Set<string>();
  for (const [id, { fullName }] of users) {
    if (usersByName.has(fullName)) namesakes.add(fullName);
    usersByName.set(fullName, id);
  }
  for (const name of namesakes) usersByName.delete(name);
  const groupIds = new Map<string, number>();
  for (const row of await tables.readTable('zerver_namedusergroup')) {
    const id = row.readId(row.hasColumnValue('usergroup_ptr') ? 'usergroup_ptr' : 'id');
    if (groups.isNamedGroup(id) && !row.readBoolean('deactivated')) groupIds.set(row.readText('name'), id);
  }
  const publicChannels = [...channels].filter(([, { isPrivate }]) => !isPrivate);
  return {
    usersByName,
    userNames: new Map([...users].map(([id, { fullName }]) => [id, fullName])),
    groups: groupIds,
    groupIds: new Set(groupIds.values()),
    publicChannels: new Map(publicChannels.map(([id, { name }]) => [normalizeTextForComparison(name), { id, name }])),
    channelIds: new Set(channels.keys()),
  };
}
