import { userGroupPermissionNames } from '../../../core/access/permission-settings.js';
import { type ExportedTable, createIntegerKeyColumns, type ExportedTableKeyColumn } from './exported-table.js';
import { createUnixSecondsSql, isExportedAsAccountSql } from './export-sql-expressions.js';

/**
 * SQL expression for the id of the user group without members. The reference server (Zulip) requires a group in some
 * columns that are null in this service.
 */
const emptyUserGroupIdSql = `(SELECT n.id FROM user_groups n WHERE n.realm_id = $1 AND n.name = 'role:nobody')`;

const groupPermissionColumnsSql = userGroupPermissionNames
  .map((name) => `'${name}', coalesce(g.${name}_id, ${emptyUserGroupIdSql})`)
  .join(',\n    ');

const createIntegerKeyColumnPair = (
  first: string,
  second: string,
): readonly [ExportedTableKeyColumn, ExportedTableKeyColumn] => [
  { sql: first, type: 'int' },
  { sql: second, type: 'int' },
];

/**
 * Definitions of the exported tables of user groups and group members. Groups without a name are values of permission
 * settings.
 */
export const exportedGroupTables: readonly ExportedTable[] = [
  {
    name: 'zerver_usergroup',
    sources: [
      {
        row: `json_build_object('id', g.id, 'realm', g.realm_id)`,
        from: 'user_groups g WHERE g.realm_id = $1',
        key: createIntegerKeyColumns('g.id'),
      },
    ],
  },
  {
    name: 'zerver_namedusergroup',
    sources: [
      {
        row: `json_build_object('id', g.id, 'usergroup_ptr', g.id, 'realm_for_sharding', g.realm_id, 'name', g.name,
    'description', g.description, 'is_system_group', g.kind = 'system', 'creator', g.creator_id,
    'date_created', ${createUnixSecondsSql('g.date_created')}, 'deactivated', g.deactivated,
    ${groupPermissionColumnsSql})`,
        from: 'user_groups g WHERE g.realm_id = $1 AND g.name IS NOT NULL',
        key: createIntegerKeyColumns('g.id'),
      },
    ],
  },
  {
    name: 'zerver_usergroupmembership',
    sources: [
      {
        row: `json_build_object('user_group', m.group_id, 'user_profile', m.user_id)`,
        from: `user_group_members m JOIN users u ON u.id = m.user_id WHERE ${isExportedAsAccountSql}`,
        key: createIntegerKeyColumnPair('m.group_id', 'm.user_id'),
        isNumbered: true,
      },
    ],
  },
  {
    name: 'zerver_groupgroupmembership',
    sources: [
      {
        row: `json_build_object('supergroup', s.group_id, 'subgroup', s.subgroup_id)`,
        from: 'user_group_subgroups s JOIN user_groups g ON g.id = s.group_id WHERE g.realm_id = $1',
        key: createIntegerKeyColumnPair('s.group_id', 's.subgroup_id'),
        isNumbered: true,
      },
    ],
  },
];
