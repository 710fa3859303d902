import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a role of racks. */
export const rackRoleModel = defineModel('dcim.rackrole', {
  path: 'dcim/rack-roles',
  objectName: 'RackRole',
  verboseName: 'rack role',
  verboseNamePlural: 'rack roles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    color: colorField({ default: '9e9e9e' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    rack_count: referringObjectCountField('dcim.rack', { via: 'role' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'rack_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_rackrole_name_key', fields: ['name'] },
    { name: 'dcim_rackrole_slug_key', fields: ['slug'] },
  ],
});
