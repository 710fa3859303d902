import { defineModel } from '../../engine/declaration/define-model.js';
import * as common from '../shared-model-fields.js';

/** Model of a role in which a contact is assigned to an object. */
export const contactRoleModel = defineModel('tenancy.contactrole', {
  path: 'tenancy/contact-roles',
  objectName: 'ContactRole',
  verboseName: 'contact role',
  verboseNamePlural: 'contact roles',
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
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'tenancy_contactrole_name_key', fields: ['name'] },
    { name: 'tenancy_contactrole_slug_key', fields: ['slug'] },
  ],
});
