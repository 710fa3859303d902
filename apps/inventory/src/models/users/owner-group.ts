import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';

/** Model of a group of owners. */
export const ownerGroupModel = defineModel('users.ownergroup', {
  path: 'users/owner-groups',
  objectName: 'OwnerGroup',
  verboseName: 'owner group',
  verboseNamePlural: 'owner groups',
  changeLog: false,
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    member_count: referringObjectCountField('users.owner', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'users_ownergroup_name_key', fields: ['name'] }],
});
