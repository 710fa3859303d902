import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a type of virtual circuits. */
export const virtualCircuitTypeModel = defineModel('circuits.virtualcircuittype', {
  path: 'circuits/virtual-circuit-types',
  objectName: 'VirtualCircuitType',
  verboseName: 'virtual circuit type',
  verboseNamePlural: 'virtual circuit types',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    color: colorField({ blank: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    virtual_circuit_count: referringObjectCountField('circuits.virtualcircuit', { via: 'type' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'virtual_circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'circuits_virtualcircuittype_name_key', fields: ['name'] },
    { name: 'circuits_virtualcircuittype_slug_key', fields: ['slug'] },
  ],
});
