import { defineModel } from '../../engine/declaration/define-model.js';
import { jsonKeyFilters } from '../../engine/filter/json-key-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { jsonField } from '../../engine/field-types/json.js';
import { decimalField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { checkModuleTypeAttributes } from './module-type-attributes.js';
import { createTemplateCountFields, createComponentTemplateFilters } from './component-template-counts.js';
import { checkWeightHasUnit, weightUnitChoices } from '../measurement-units.js';

const moduleTypeAirflowChoices = {
  'front-to-rear': 'Front to rear',
  'rear-to-front': 'Rear to front',
  'left-to-right': 'Left to right',
  'right-to-left': 'Right to left',
  'side-to-rear': 'Side to rear',
  passive: 'Passive',
};

/** Model of a module type: a hardware model of modules, with templates of their components. */
export const moduleTypeModel = defineModel('dcim.moduletype', {
  path: 'dcim/module-types',
  objectName: 'ModuleType',
  verboseName: 'module type',
  verboseNamePlural: 'module types',
  fields: {
    ...common.identityFields,
    profile: referenceField('dcim.moduletypeprofile', { nullable: true, filterBy: 'name' }),
    manufacturer: referenceField('dcim.manufacturer', { required: true }),
    model: textField({ max: 100, required: true }),
    part_number: textField({ max: 50 }),
    airflow: choiceField(moduleTypeAirflowChoices, { nullable: true, filterSingle: true }),
    weight: decimalField({ digits: 8, places: 2, nullable: true }),
    weight_unit: choiceField(weightUnitChoices, { nullable: true, filterSingle: true }),
    description: common.descriptionField,
    attributes: {
      ...jsonField({ source: 'attribute_data', nullable: true, merged: true }),
      changeLogName: 'attribute_data',
    },
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    module_count: referringObjectCountField('dcim.module', {
      via: 'module_type',
      filter: true,
      stored: true,
      metadataType: 'integer',
    }),
    ...createTemplateCountFields('module_type'),
    module_bay_template_count: referringObjectCountField('dcim.modulebaytemplate', {
      via: 'module_type',
      filter: true,
      metadataType: 'integer',
    }),
  },
  display: (alias) => `${alias}.model`,
  brief: ['id', 'url', 'display', 'profile', 'manufacturer', 'model', 'description', 'module_count'],
  order: [{ field: 'profile' }, { field: 'manufacturer' }, { field: 'model' }],
  search: [
    {
      sql: (alias) => `(SELECT r.name FROM dcim_manufacturer r WHERE r.id = ${alias}.manufacturer_id)`,
      lookup: 'icontains',
    },
    { sql: (alias) => `${alias}.model`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.part_number`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'dcim_moduletype_manufacturer_id_model_key', fields: ['manufacturer', 'model'] }],
  rules: [checkWeightHasUnit],
  hooks: { review: checkModuleTypeAttributes },
  filters: createComponentTemplateFilters('module_type'),
  openFilters: jsonKeyFilters('attr_', (alias) => `${alias}.attribute_data`),
});
