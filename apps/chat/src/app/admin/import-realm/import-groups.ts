import {
  userGroupPermissionNames,
  userGroupPermissionSettings,
  type PermissionSetting,
} from '../../../core/access/permission-settings.js';
import { addSystemGroupsOfRealm, addSystemGroupNesting, systemGroupNames } from '../../../core/user-groups/index.js';
import { AdminError } from '../admin-error.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { ArchivedUserGroupReferences, type UserGroupKind } from './group-references.js';
import { insertImportedRows } from './insert-rows.js';

const importedUserGroupColumns = {
  id: 'int',
  realm_id: 'int',
  kind: 'text',
  name: 'text',
  description: 'text',
  date_created: 'timestamptz',
  deactivated: 'boolean',
  ...Object.fromEntries(userGroupPermissionNames.map((name) => [`${name}_id`, 'int'])),
};

/**
 * Inserts the groups of the archive: system groups, named groups, and the anonymous groups of permissions.
 * {@link importUserGroupMembers} later inserts the members and creators of the groups.
 */
export async function importUserGroups(context: RealmImportContext): Promise<ArchivedUserGroupReferences> {
  const { tx, realmId, archive, report } = context;
  const allIds = (await archive.tables.readTable('zerver_usergroup')).map((row) => row.readId());
  if (allIds.length === 0) {
    const made = await addSystemGroupsOfRealm(tx, realmId);
    return new ArchivedUserGroupReferences(new Map([...made.values()].map((id) => [id, 'system'])), made, report);
  }
  const named = (await archive.tables.readTable('zerver_namedusergroup')).map(toArchivedNamedUserGroup);
  const systemIds = new Map(named.filter((group) => group.isSystem).map(({ name, id }) => [name, id]));
  for (const name of systemGroupNames) {
    if (!systemIds.has(name)) throw new AdminError(`The archive has no system group ${name}.`);
  }
  const kinds = new Map<number, UserGroupKind>(allIds.map((id) => [id, 'anonymous']));
  for (const { id, isSystem } of named) kinds.set(id, isSystem ? 'system' : 'named');
  const references = new ArchivedUserGroupReferences(kinds, systemIds, report);
  await insertImportedUserGroups(context, references, named, allIds);
  await addSystemGroupNesting(tx, systemIds);
  report.addImportedRowCount('user groups', named.filter(({ isSystem }) => !isSystem).length);
  return references;
}

interface ArchivedNamedUserGroup {
  readonly row: ArchivedTableRow;
  readonly id: number;
  readonly name: string;
  readonly isSystem: boolean;
}

function toArchivedNamedUserGroup(row: ArchivedTableRow): ArchivedNamedUserGroup {
  const name = row.readText('name');
  const isSystem = row.readBoolean('is_system_group') && systemGroupNames.some((known) => known === name);
  return { row, id: row.readId(row.hasColumnValue('usergroup_ptr') ? 'usergroup_ptr' : 'id'), name, isSystem };
}

async function insertImportedUserGroups(
  { tx, realmId }: RealmImportContext,
  references: ArchivedUserGroupReferences,
  named: readonly ArchivedNamedUserGroup[],
  allIds: readonly number[],
): Promise<void> {
  const nobody = references.getSystemGroupId('role:nobody');
  const initial = Object.fromEntries(userGroupPermissionNames.map((name) => [`${name}_id`, nobody]));
  const toRow = ({ row, id, name, isSystem }: ArchivedNamedUserGroup) => ({
    id,
    realm_id: realmId,
    kind: isSystem ? 'system' : 'named',
    name,
    description: row.readOptionalText('description') ?? '',
    date_created: row.readOptionalTime('date_created'),
    deactivated: row.readBoolean('deactivated'),
    ...initial,
  });
  // System groups refer to each other, so one statement inserts them. Other permissions may refer to any group.
  await insertImportedRows(
    tx,
    'user_groups',
    importedUserGroupColumns,
    named.filter(({ isSystem }) => isSystem).map(toRow),
  );
  await insertImportedRows(
    tx,
    'user_groups',
    importedUserGroupColumns,
    named.filter(({ isSystem }) => !isSystem).map(toRow),
  );
  const namedIds = new Set(named.map(({ id }) => id));
  const anonymous = allIds.filter((id) => !namedIds.has(id));
  await insertImportedRows(
    tx,
    'user_groups',
    importedUserGroupColumns,
    anonymous.map((id) => ({ id, realm_id: realmId, kind: 'anonymous', description: '', deactivated: false })),
  );
  await setImportedUserGroupPermissions({ tx }, references, named);
}

async function setImportedUserGroupPermissions(
  { tx }: Pick<RealmImportContext, 'tx'>,
  references: ArchivedUserGroupReferences,
  named: readonly ArchivedNamedUserGroup[],
): Promise<void> {
  for (const name of userGroupPermissionNames) {
    const setting: PermissionSetting = userGroupPermissionSettings[name];
    await tx.query(
      `UPDATE user_groups g SET ${name}_id = sent.value FROM unnest($1::int[], $2::int[]) AS sent(id, value)
       WHERE g.id = sent.id`,
      [named.map(({ id }) => id), named.map(({ row }) => references.resolvePermissionGroupId(row, name, setting))],
    );
  }
}

/**
 * Inserts members and subgroups of imported groups, and sets the creators of the groups. The members of system groups
 * are determined by the roles of the users.
 */
export async function importUserGroupMembers(
  { tx, archive: { tables }, report }: RealmImportContext,
  references: ArchivedUserGroupReferences,
  users: ImportedUsers,
): Promise<void> {
  for await (const rows of tables.readTableInBatches('zerver_usergroupmembership')) {
    const members = rows
      .map((row) => ({ group_id: row.readId('user_group'), user_id: row.readId('user_profile') }))
      .filter(({ group_id: id }) => references.getGroupKind(id) !== 'system');
    const known = members.filter(
      (one) => references.getGroupKind(one.group_id) !== undefined && users.has(one.user_id),
    );
    report.addSkippedRowCount('members of unknown groups', members.length - known.length);
    await insertImportedRows(tx, 'user_group_members', { group_id: 'int', user_id: 'int' }, known, {
      skipsDuplicates: true,
    });
  }
  for await (const rows of tables.readTableInBatches('zerver_groupgroupmembership')) {
    const nested = rows
      .map((row) => ({ group_id: row.readId('supergroup'), subgroup_id: row.readId('subgroup') }))
      .filter(({ group_id: id }) => references.getGroupKind(id) !== 'system');
    const known = nested.filter(
      (one) => references.getGroupKind(one.group_id) !== undefined && references.isNamedGroup(one.subgroup_id),
    );
    report.addSkippedRowCount('subgroups of unknown groups', nested.length - known.length);
    const columns = { group_id: 'int', subgroup_id: 'int' };
    await insertImportedRows(tx, 'user_group_subgroups', columns, known, { skipsDuplicates: true });
  }
  const created = (await tables.readTable('zerver_namedusergroup')).map((row) => ({
    id: row.readId(row.hasColumnValue('usergroup_ptr') ? 'usergroup_ptr' : 'id'),
    creator: row.readOptionalId('creator'),
  }));
  const known = created.filter(({ creator }) => creator !== null && users.has(creator));
  await tx.query(
    `UPDATE user_groups g SET creator_id = sent.creator FROM unnest($1::int[], $2::int[]) AS sent(id, creator)
     WHERE g.id = sent.id AND g.kind = 'named'`,
    [known.map(({ id }) => id), known.map(({ creator }) => creator)],
  );
}
