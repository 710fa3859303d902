import { defineModel, type ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import * as component from './device-component-fields.js';
import { deviceFiltersOfComponents } from './device-component-filters.js';
import { checkComponentDeviceUnchanged } from './device-component-rules.js';

interface DeviceBayRow {
  readonly device?: number | null;
  readonly enabled?: boolean;
  readonly installed_device?: number | null;
}

/**
 * Checks the rule for installing a device in a device bay. A bay must be enabled, and a device cannot be installed in
 * its own bay. An installed device may remain in a bay that is disabled later.
 */
function checkDeviceBayAcceptsDevice(
  { device, enabled, installed_device: installed = null }: DeviceBayRow,
  { previous }: { readonly previous: DeviceBayRow | null },
): ValidationMessagesByField | null {
  if (installed === null) return null;
  if (enabled === false && previous?.installed_device !== installed) {
    return { installed_device: ['Cannot install a device in a disabled device bay.'] };
  }
  return installed === device ? { __all__: ['Cannot install a device into itself.'] } : null;
}

/** Model of a device bay: a bay of a device in which another device can be installed. */
export const deviceBayModel = defineModel('dcim.devicebay', {
  path: 'dcim/device-bays',
  objectName: 'DeviceBay',
  verboseName: 'device bay',
  verboseNamePlural: 'device bays',
  fields: {
    ...common.identityFields,
    device: component.sortedComponentDeviceField,
    name: component.componentNameField,
    label: component.componentLabelField,
    enabled: booleanField({ default: true }),
    description: common.descriptionField,
    installed_device: referenceField('dcim.device', { nullable: true, onDelete: 'set_null', filterBy: 'name' }),
    owner: common.ownerField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    _occupied: computedField({
      json: ({ alias }) => [
        createComputedJsonFragment(`(NOT ${alias}.enabled OR ${alias}.installed_device_id IS NOT NULL)::text`),
      ],
      schema: { type: 'boolean' },
      metadataType: 'boolean',
    }),
  },
  relatedTo: 'device',
  display: component.createComponentNameSql,
  brief: ['id', 'url', 'display', 'device', 'name', 'enabled', 'description', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_devicebay_installed_device_id_key', fields: ['installed_device'] },
    { name: 'dcim_devicebay_device_id_name_key', fields: ['device', 'name'] },
    { name: 'dcim_devicebay_parent_type', key: '__all__' },
    { name: 'dcim_devicebay_installed_elsewhere', key: 'installed_device' },
    { name: 'dcim_devicebay_child_type', key: 'installed_device' },
  ],
  rules: [checkComponentDeviceUnchanged, checkDeviceBayAcceptsDevice],
  filters: deviceFiltersOfComponents,
});
