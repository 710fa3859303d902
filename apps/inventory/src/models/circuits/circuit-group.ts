import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

/** Model of a group of circuits, such as circuits that replace one another. */
export const circuitGroupModel = defineModel('circuits.circuitgroup', {
  path: 'circuits/circuit-groups',
  objectName: 'CircuitGroup',
  verboseName: 'circuit group',
  verboseNamePlural: 'circuit groups',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    description: common.descriptionField,
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    circuit_count: referringObjectCountField('circuits.circuitgroupassignment', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'circuits_circuitgroup_name_key', fields: ['name'] },
    { name: 'circuits_circuitgroup_slug_key', fields: ['slug'] },
  ],
  filters: tenantGroupFilters,
});
