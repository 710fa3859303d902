import { defineModel } from '../../engine/declaration/define-model.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { relatedObjectIdFilter } from '../../engine/filter/relation-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { computedField, displayNameField, idField, apiUrlField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { reverseOneToOneField } from '../../engine/field-types/reverse-one-to-one.js';
import { textField } from '../../engine/field-types/text.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import * as component from './device-component-fields.js';
import { deviceFiltersOfComponents } from './device-component-filters.js';
import { componentModuleDeviceConstraint, checkComponentDeviceUnchanged } from './device-component-rules.js';
import { moduleBayCycleConstraint } from './module-rules.js';

const installedModuleField = reverseOneToOneField('dcim.module', {
  via: 'module_bay',
  shape: {
    id: idField(),
    url: apiUrlField(),
    display: displayNameField(),
    serial: textField({ max: 50 }),
    description: common.descriptionField,
  },
});

/** Model of a module bay: a bay of a device or module in which a module can be installed. */
export const moduleBayModel = defineModel('dcim.modulebay', {
  path: 'dcim/module-bays',
  objectName: 'ModuleBay',
  verboseName: 'module bay',
  verboseNamePlural: 'module bays',
  resetOnPut: ['module'],
  tree: true,
  fields: {
    ...common.identityFields,
    device: component.sortedComponentDeviceField,
    module: referenceField('dcim.module', {
      nullable: true,
      onDelete: 'cascade',
      filterBy: null,
      shape: { id: idField(), url: apiUrlField(), display: displayNameField() },
    }),
    name: component.componentNameField,
    label: component.componentLabelField,
    position: textField({ max: 30 }),
    enabled: booleanField({ default: true }),
    description: common.descriptionField,
    installed_module: installedModuleField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    _occupied: computedField({
      json: ({ alias }) => [
        createComputedJsonFragment(
          `(NOT ${alias}.enabled OR EXISTS (SELECT FROM dcim_module m WHERE m.module_bay_id = ${alias}.id))::text`,
        ),
      ],
      schema: { type: 'boolean' },
      metadataType: 'boolean',
    }),
  },
  changeLogMembers: { parent: (alias) => `coalesce(${alias}.parent_id::text, 'null')` },
  relatedTo: 'device',
  display: component.createComponentNameSql,
  brief: ['id', 'url', 'display', 'installed_module', 'name', 'enabled', 'description', '_occupied'],
  nested: ['id', 'url', 'display', 'name', 'enabled', 'description', 'installed_module', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_modulebay_device_id_module_id_name_key', fields: ['device', 'module', 'name'] },
    componentModuleDeviceConstraint,
    moduleBayCycleConstraint,
  ],
  rules: [checkComponentDeviceUnchanged],
  filters: [
    ...deviceFiltersOfComponents,
    relatedObjectIdFilter('parent_id', (alias) => `${alias}.parent_id`, { table: 'dcim_modulebay' }, 'id', false),
    relatedObjectFilter('installed_module_id', [resolveStepToReferringObjects('dcim.module', 'module_bay')]),
  ],
});
