import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { colorField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a type of circuits, such as transit or dark fiber. */
export const circuitTypeModel = defineModel('circuits.circuittype', {
  path: 'circuits/circuit-types',
  objectName: 'CircuitType',
  verboseName: 'circuit type',
  verboseNamePlural: 'circuit types',
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
    circuit_count: referringObjectCountField('circuits.circuit', { via: 'type' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'circuit_count'],
  nested: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'circuits_circuittype_name_key', fields: ['name'] },
    { name: 'circuits_circuittype_slug_key', fields: ['slug'] },
  ],
});
