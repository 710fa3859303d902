import { defineModel } from '../../engine/declaration/define-model.js';
import { stringFilter, excludeLookups } from '../../engine/filter/string-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeListField } from '../../engine/field-types/object-type.js';
import { textField } from '../../engine/field-types/text.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { buttonClasses } from './button-classes.js';

const modelsWithCustomLinks = listModelsWithFeature('custom_links');

/** Model of a custom link, which is shown on the pages of objects and rendered from a template. */
export const customLinkModel = defineModel('extras.customlink', {
  path: 'extras/custom-links',
  objectName: 'CustomLink',
  verboseName: 'custom link',
  verboseNamePlural: 'custom links',
  fields: {
    ...common.identityFields,
    object_types: objectTypeListField(modelsWithCustomLinks, {
      required: true,
      label: 'object types',
      filterName: 'object_type',
    }),
    name: common.requiredNameField,
    enabled: booleanField({ default: true }),
    link_text: textField({ required: true }),
    link_url: textField({ required: true, label: 'link URL' }),
    weight: integerField({ min: 0, max: 32_767, default: 100 }),
    group_name: textField({ max: 50 }),
    button_class: choiceField(buttonClasses, { raw: true, default: 'default', filterSingle: true }),
    new_window: booleanField(),
    owner: common.ownerField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name'],
  order: [{ field: 'group_name' }, { field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'link_text', 'link_url', 'group_name'),
  constraints: [{ name: 'extras_customlink_name_key', fields: ['name'] }],
  filters: [
    ...['link_text', 'link_url'].map((name) => ({ ...excludeLookups(stringFilter(name), 'empty'), multiple: false })),
    createModelIdFilter('object_type_id', { column: 'object_types', list: true }),
  ],
});
