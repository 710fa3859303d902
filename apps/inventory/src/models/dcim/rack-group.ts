import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';

/** Model of a group of racks. The group does not depend on the locations of the racks. */
export const rackGroupModel = defineModel('dcim.rackgroup', {
  path: 'dcim/rack-groups',
  objectName: 'RackGroup',
  verboseName: 'rack group',
  verboseNamePlural: 'rack groups',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    rack_count: referringObjectCountField('dcim.rack', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'rack_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_rackgroup_name_key', fields: ['name'] },
    { name: 'dcim_rackgroup_slug_key', fields: ['slug'] },
  ],
});
