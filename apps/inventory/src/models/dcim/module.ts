import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { defineUnstoredField } from '../../engine/field-types/define-unstored-field.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { nestedModuleBayFieldNames } from './device-component-fields.js';
import { moduleAndItemStatusChoices } from './module-and-item-status.js';
import { moduleComponentCreator } from './components-from-types/component-companions.js';
import { requireComponentsFitDevice } from './components-from-types/check-module-conflicts.js';
import { listBaysOfMovedModules, moduleBayCycleConstraint } from './module-rules.js';

/** Model of a module: hardware in a module bay of a device, with its own components. */
export const moduleModel = defineModel('dcim.module', {
  path: 'dcim/modules',
  objectName: 'Module',
  verboseName: 'module',
  verboseNamePlural: 'modules',
  // The nested module type shows the number of its modules.
  rereadAfterCreateFields: ['module_type'],
  rereadAfterUpdateFields: ['module_type'],
  fields: {
    ...common.identityFields,
    device: referenceField('dcim.device', { required: true, onDelete: 'cascade', filterBy: 'name' }),
    module_bay: referenceField('dcim.modulebay', {
      required: true,
      onDelete: 'cascade',
      filterBy: null,
      shape: nestedModuleBayFieldNames,
    }),
    module_type: referenceField('dcim.moduletype', { required: true, filterBy: 'model' }),
    status: choiceField(moduleAndItemStatusChoices, { default: 'active' }),
    serial: textField({ max: 50, label: 'serial number' }),
    asset_tag: textField({ max: 50, nullable: true, blankAsNull: true }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    replicate_components: defineUnstoredField(booleanField({ default: true })),
    adopt_components: defineUnstoredField(booleanField()),
  },
  display: (alias) =>
    `(SELECT b.name FROM dcim_modulebay b WHERE b.id = ${alias}.module_bay_id) || ': ' || (SELECT m.model FROM dcim_moduletype m WHERE m.id = ${alias}.module_type_id) || ' (' || ${alias}.id || ')'`,
  brief: ['id', 'url', 'display', 'device', 'module_bay', 'module_type', 'description'],
  order: [{ field: 'module_bay' }],
  search: [
    common.createOtherTableSearchTerms('dcim_module', 'device_id', 'dcim_device', 'name'),
    { sql: (alias) => `${alias}.serial`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.asset_tag`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [
    {
      name: 'dcim_module_module_bay_id_key',
      fields: ['module_bay'],
      message: 'Module with this Module bay already exists.',
    },
    { name: 'dcim_module_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_module_bay_device', key: '__all__' },
    { name: 'dcim_module_bay_enabled', key: 'module_bay' },
    { name: 'dcim_module_components', key: 'device' },
    moduleBayCycleConstraint,
  ],
  hooks: {
    review: requireComponentsFitDevice,
    companions: moduleComponentCreator,
    triggerSideEffects: listBaysOfMovedModules,
  },
  filters: [
    referencePathFilters('profile', 'module_type.profile', 'name'),
    referencePathFilters('manufacturer', 'module_type.manufacturer'),
    referencePathFilters('region', 'device.site.region'),
    referencePathFilters('site_group', 'device.site.group'),
    referencePathFilters('site', 'device.site'),
    referencePathFilters('location', 'device.location', { direct: true }),
    referencePathFilters('rack', 'device.rack', 'name'),
  ],
});
