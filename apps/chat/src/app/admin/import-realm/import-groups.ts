import {
  groupPermissions,
  groupPermissionSettings,
  type PermissionSetting,
} from '../../../core/access/permission-settings.js';
import { addSystemGroups, addSystemGroupNesting, systemGroupNames } from '../../../core/user-groups/index.js';
import { AdminError } from '../admin-error.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { GroupReferences, type GroupKind } from './group-references.js';
import { insertRows } from './insert-rows.js';

const importedGroupColumns = {
  id: 'int',
  realm_id: 'int',
  kind: 'text',
  name: 'text',
  description: 'text',
  date_created: 'timestamptz',
  deactivated: 'boolean',
  ...Object.fromEntries(groupPermissions.map((name) => [`${name}_id`, 'int'])),
};

/**
 * Inserts the groups of the archive: system groups, named groups, and the anonymous groups of permissions.
 * {@link importGroupMembers} later inserts the members and creators of the groups.
 */
export async function importGroups(context: ImportContext): Promise<GroupReferences> {
  const { tx, realmId, archive, report } = context;
  const allIds = (await archive.tables.readTable('zerver_usergroup')).map((row) => row.id());
  if (allIds.length === 0) {
    const made = await addSystemGroups(tx, realmId);
    return new GroupReferences(new Map([...made.values()].map((id) => [id, 'system'])), made, report);
  }
  const named = (await archive.tables.readTable('zerver_namedusergroup')).map(toNamedGroup);
  const systemIds = new Map(named.filter((group) => group.isSystem).map(({ name, id }) => [name, id]));
  for (const name of systemGroupNames) {
    if (!systemIds.has(name)) throw new AdminError(`The archive has no system group ${name}.`);
  }
  const kinds = new Map<number, GroupKind>(allIds.map((id) => [id, 'anonymous']));
  for (const { id, isSystem } of named) kinds.set(id, isSystem ? 'system' : 'named');
  const references = new GroupReferences(kinds, systemIds, report);
  await insertGroups(context, references, named, allIds);
  await addSystemGroupNesting(tx, systemIds);
  report.addImported('user groups', named.filter(({ isSystem }) => !isSystem).length);
  return references;
}

interface NamedGroup {
  readonly row: ArchiveRow;
  readonly id: number;
  readonly name: string;
  readonly isSystem: boolean;
}

function toNamedGroup(row: ArchiveRow): NamedGroup {
  const name = row.text('name');
  const isSystem = row.boolean('is_system_group') && systemGroupNames.some((known) => known === name);
  return { row, id: row.id(row.has('usergroup_ptr') ? 'usergroup_ptr' : 'id'), name, isSystem };
}

async function insertGroups(
  { tx, realmId }: ImportContext,
  references: GroupReferences,
  named: readonly NamedGroup[],
  allIds: readonly number[],
): Promise<void> {
  const nobody = references.systemGroup('role:nobody');
  const initial = Object.fromEntries(groupPermissions.map((name) => [`${name}_id`, nobody]));
  const toRow = ({ row, id, name, isSystem }: NamedGroup) => ({
    id,
    realm_id: realmId,
    kind: isSystem ? 'system' : 'named',
    name,
    description: row.optionalText('description') ?? '',
    date_created: row.optionalTime('date_created'),
    deactivated: row.boolean('deactivated'),
    ...initial,
  });
  // System groups refer to each other, so one statement inserts them. Other permissions may refer to any group.
  await insertRows(tx, 'user_groups', importedGroupColumns, named.filter(({ isSystem }) => isSystem).map(toRow));
  await insertRows(tx, 'user_groups', importedGroupColumns, named.filter(({ isSystem }) => !isSystem).map(toRow));
  const namedIds = new Set(named.map(({ id }) => id));
  const anonymous = allIds.filter((id) => !namedIds.has(id));
  await insertRows(
    tx,
    'user_groups',
    importedGroupColumns,
    anonymous.map((id) => ({ id, realm_id: realmId, kind: 'anonymous', description: '', deactivated: false })),
  );
  await setImportedGroupPermissions({ tx }, references, named);
}

async function setImportedGroupPermissions(
  { tx }: Pick<ImportContext, 'tx'>,
  references: GroupReferences,
  named: readonly NamedGroup[],
): Promise<void> {
  for (const name of groupPermissions) {
    const setting: PermissionSetting = groupPermissionSettings[name];
    await tx.query(
      `UPDATE user_groups g SET ${name}_id = sent.value FROM unnest($1::int[], $2::int[]) AS sent(id, value)
       WHERE g.id = sent.id`,
      [named.map(({ id }) => id), named.map(({ row }) => references.resolveGroup(row, name, setting))],
    );
  }
}

/**
 * Inserts members and subgroups of imported groups, and sets the creators of the groups. The members of system groups
 * are determined by the roles of the users.
 */
export async function importGroupMembers(
  { tx, archive: { tables }, report }: ImportContext,
  references: GroupReferences,
  users: ImportedUsers,
): Promise<void> {
  for await (const rows of tables.readBatches('zerver_usergroupmembership')) {
    const members = rows
      .map((row) => ({ group_id: row.id('user_group'), user_id: row.id('user_profile') }))
      .filter(({ group_id: id }) => references.getGroupKind(id) !== 'system');
    const known = members.filter(
      (one) => references.getGroupKind(one.group_id) !== undefined && users.has(one.user_id),
    );
    report.addSkipped('members of unknown groups', members.length - known.length);
    await insertRows(tx, 'user_group_members', { group_id: 'int', user_id: 'int' }, known, { skipsDuplicates: true });
  }
  for await (const rows of tables.readBatches('zerver_groupgroupmembership')) {
    const nested = rows
      .map((row) => ({ group_id: row.id('supergroup'), subgroup_id: row.id('subgroup') }))
      .filter(({ group_id: id }) => references.getGroupKind(id) !== 'system');
    const known = nested.filter(
      (one) => references.getGroupKind(one.group_id) !== undefined && references.isNamedGroup(one.subgroup_id),
    );
    report.addSkipped('subgroups of unknown groups', nested.length - known.length);
    const columns = { group_id: 'int', subgroup_id: 'int' };
    await insertRows(tx, 'user_group_subgroups', columns, known, { skipsDuplicates: true });
  }
  const created = (await tables.readTable('zerver_namedusergroup')).map((row) => ({
    id: row.id(row.has('usergroup_ptr') ? 'usergroup_ptr' : 'id'),
    creator: row.optionalId('creator'),
  }));
  const known = created.filter(({ creator }) => creator !== null && users.has(creator));
  await tx.query(
    `UPDATE user_groups g SET creator_id = sent.creator FROM unnest($1::int[], $2::int[]) AS sent(id, creator)
     WHERE g.id = sent.id AND g.kind = 'named'`,
    [known.map(({ id }) => id), known.map(({ creator }) => creator)],
  );
}
