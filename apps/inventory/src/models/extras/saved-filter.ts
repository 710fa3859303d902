import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { jsonField } from '../../engine/field-types/json.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeListField } from '../../engine/field-types/object-type.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { owningUserField, createSharedOrOwnCondition, usableObjectFilter } from './shared-object-fields.js';

/** Model of a saved filter: query parameters of lists, stored under a name. */
export const savedFilterModel = defineModel('extras.savedfilter', {
  path: 'extras/saved-filters',
  objectName: 'SavedFilter',
  verboseName: 'saved filter',
  verboseNamePlural: 'saved filters',
  fields: {
    ...common.identityFields,
    object_types: objectTypeListField(({ registry }) => registry.models.map(({ type }) => type), {
      required: true,
      label: 'object types',
      filterName: 'object_type',
    }),
    name: common.requiredNameField,
    slug: common.requiredSlugField,
    description: common.descriptionField,
    user: owningUserField,
    weight: integerField({ min: 0, max: 32_767, default: 100 }),
    enabled: booleanField({ default: true }),
    shared: booleanField({ default: true }),
    parameters: jsonField({ required: true }),
    owner: common.ownerField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'extras_savedfilter_name_key', fields: ['name'] },
    { name: 'extras_savedfilter_slug_key', fields: ['slug'] },
  ],
  rules: [
    ({ parameters }) =>
      typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)
        ? null
        : { parameters: ['Filter parameters must be stored as a dictionary of keyword arguments.'] },
  ],
  visible: createSharedOrOwnCondition,
  filters: [createModelIdFilter('object_type_id', { column: 'object_types', list: true }), usableObjectFilter],
});
