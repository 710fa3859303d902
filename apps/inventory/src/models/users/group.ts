import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters, relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { manyToManyCountField, manyToManyField, manyToManyFilters } from '../../engine/field-types/many-to-many.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import {
  userGroupsJoinTable,
  groupPermissionsJoinTable,
  createReverseJoinTable,
} from './user-and-group-join-tables.js';

const groupMembersJoinTable = createReverseJoinTable(userGroupsJoinTable);

/** Model of a group of users with common permissions. */
export const groupModel = defineModel('users.group', {
  path: 'users/groups',
  objectName: 'Group',
  verboseName: 'group',
  verboseNamePlural: 'groups',
  events: false,
  audit: { noun: 'group', shownFields: ['name', 'permissions'] },
  fields: {
    ...common.identityFields,
    name: textField({ max: 150, required: true }),
    description: common.descriptionField,
    permissions: manyToManyField('users.objectpermission', {
      join: groupPermissionsJoinTable,
      filter: { name: 'permission', by: null },
    }),
    user_count: manyToManyCountField(groupMembersJoinTable, { metadataType: 'integer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  filters: [
    ...manyToManyFilters('user', { table: 'users_user' }, groupMembersJoinTable, null),
    referencePathFilters('owner', [resolveStepToReferringObjects('users.owner', 'user_groups')], 'name'),
    relatedObjectFilter('notification_group_id', [resolveStepToReferringObjects('extras.notificationgroup', 'groups')]),
  ],
  constraints: [{ name: 'users_group_name_key', fields: ['name'] }],
});
