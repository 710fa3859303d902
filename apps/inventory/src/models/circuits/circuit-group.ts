import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

/** A group of circuits, such as circuits that replace one another. */
export const circuitGroup = defineModel('circuits.circuitgroup', {
  path: 'circuits/circuit-groups',
  objectName: 'CircuitGroup',
  verboseName: 'circuit group',
  verboseNamePlural: 'circuit groups',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    description: common.description,
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    circuit_count: countOf('circuits.circuitgroupassignment', { via: 'group' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'circuits_circuitgroup_name_key', fields: ['name'] },
    { name: 'circuits_circuitgroup_slug_key', fields: ['slug'] },
  ],
  filters: tenantGroupFilters,
});
