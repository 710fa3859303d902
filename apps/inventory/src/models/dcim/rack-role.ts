import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { color } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';

/** A role of racks. */
export const rackRole = defineModel('dcim.rackrole', {
  path: 'dcim/rack-roles',
  objectName: 'RackRole',
  verboseName: 'rack role',
  verboseNamePlural: 'rack roles',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    color: color({ default: '9e9e9e' }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    rack_count: countOf('dcim.rack', { via: 'role' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'rack_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'dcim_rackrole_name_key', fields: ['name'] },
    { name: 'dcim_rackrole_slug_key', fields: ['slug'] },
  ],
});
