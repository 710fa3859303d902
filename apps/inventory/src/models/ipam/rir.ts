import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import * as common from '../shared-model-fields.js';

/** A registry of address space and AS numbers: a regional internet registry, or a standard for private use. */
export const rirModel = defineModel('ipam.rir', {
  path: 'ipam/rirs',
  objectName: 'RIR',
  verboseName: 'RIR',
  verboseNamePlural: 'RIRs',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    is_private: booleanField({ label: 'private' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    aggregate_count: referringObjectCountField('ipam.aggregate', { via: 'rir' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'aggregate_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'ipam_rir_name_key', fields: ['name'] },
    { name: 'ipam_rir_slug_key', fields: ['slug'] },
  ],
});
