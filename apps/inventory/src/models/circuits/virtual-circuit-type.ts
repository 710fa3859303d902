import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { color } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';

/** A type of virtual circuits. */
export const virtualCircuitType = defineModel('circuits.virtualcircuittype', {
  path: 'circuits/virtual-circuit-types',
  objectName: 'VirtualCircuitType',
  verboseName: 'virtual circuit type',
  verboseNamePlural: 'virtual circuit types',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    slug: common.requiredSlug,
    color: color({ blank: true }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    virtual_circuit_count: countOf('circuits.virtualcircuit', { via: 'type' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'virtual_circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'circuits_virtualcircuittype_name_key', fields: ['name'] },
    { name: 'circuits_virtualcircuittype_slug_key', fields: ['slug'] },
  ],
});
