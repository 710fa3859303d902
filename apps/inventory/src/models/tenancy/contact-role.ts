import { defineModel } from '../../engine/declaration/model.js';
import * as common from '../field-groups.js';

/** A role of a contact for an object. */
export const contactRole = defineModel('tenancy.contactrole', {
  path: 'tenancy/contact-roles',
  objectName: 'ContactRole',
  verboseName: 'contact role',
  verboseNamePlural: 'contact roles',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'tenancy_contactrole_name_key', fields: ['name'] },
    { name: 'tenancy_contactrole_slug_key', fields: ['slug'] },
  ],
});
