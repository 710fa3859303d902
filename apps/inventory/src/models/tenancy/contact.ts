import { defineModel } from '../../engine/declaration/define-model.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { textField, urlField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a contact: a person or team. */
export const contactModel = defineModel('tenancy.contact', {
  path: 'tenancy/contacts',
  objectName: 'Contact',
  verboseName: 'contact',
  verboseNamePlural: 'contacts',
  fields: {
    ...common.identityFields,
    groups: manyToManyField('tenancy.contactgroup', {
      join: { table: 'tenancy_contact_groups', own: 'contact_id', other: 'contactgroup_id' },
      filter: { name: 'group', by: 'slug', below: true },
    }),
    name: common.requiredNameField,
    title: textField({ max: 100 }),
    phone: textField({ max: 50 }),
    email: textField({
      max: 254,
      metadataType: 'email',
      pattern: { expression: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, message: 'Enter a valid email address.' },
    }),
    address: textField({ max: 200 }),
    link: urlField(),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms(
    'name',
    'title',
    'phone',
    'email',
    'address',
    'link',
    'description',
    'comments',
  ),
});
