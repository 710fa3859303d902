import { defineModel } from '../../engine/declaration/define-model.js';
import { pathFilters, relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { stepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { manyToManyCountField, manyToMany, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { groupsOfUser, permissionsOfGroup, reverseJoin } from './user-and-group-join-tables.js';

const membersOfGroup = reverseJoin(groupsOfUser);

/** A group of users with common permissions. */
export const group = defineModel('users.group', {
  path: 'users/groups',
  objectName: 'Group',
  verboseName: 'group',
  verboseNamePlural: 'groups',
  events: false,
  fields: {
    ...common.identityFields,
    name: textField({ max: 150, required: true }),
    description: common.descriptionField,
    permissions: manyToMany('users.objectpermission', {
      join: permissionsOfGroup,
      filter: { name: 'permission', by: null },
    }),
    user_count: manyToManyCountField(membersOfGroup, { metadataType: 'integer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description'),
  filters: [
    ...manyToManyFilters('user', { table: 'users_user' }, membersOfGroup, null),
    pathFilters('owner', [stepToReferringObjects('users.owner', 'user_groups')], 'name'),
    relatedObjectFilter('notification_group_id', [stepToReferringObjects('extras.notificationgroup', 'groups')]),
  ],
  constraints: [{ name: 'users_group_name_key', fields: ['name'] }],
});
