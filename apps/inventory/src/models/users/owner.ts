import { defineModel } from '../../engine/declaration/define-model.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';

/** Model of an owner of objects: a named set of users and groups. */
export const ownerModel = defineModel('users.owner', {
  path: 'users/owners',
  objectName: 'Owner',
  verboseName: 'owner',
  verboseNamePlural: 'owners',
  changeLog: false,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    group: referenceField('users.ownergroup', { required: true, nullable: true, filterBy: 'name' }),
    description: common.descriptionField,
    user_groups: manyToManyField('users.group', {
      join: { table: 'users_owner_user_groups', own: 'owner_id', other: 'group_id' },
      filter: { name: 'user_group', by: 'name' },
    }),
    users: manyToManyField('users.user', {
      join: { table: 'users_owner_users', own: 'owner_id', other: 'user_id' },
      filter: { name: 'user', by: 'username' },
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'users_owner_name_key', fields: ['name'] }],
});
