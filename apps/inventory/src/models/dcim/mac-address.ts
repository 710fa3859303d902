import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { macAddressField } from '../../engine/field-types/hardware-address-fields.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import * as common from '../shared-model-fields.js';

const macAddressAssignedObjectTypes = ['dcim.interface', 'virtualization.vminterface'];

/** Reference path from a MAC address to the device interface that has the address. */
const referencePathToDeviceInterface = resolveStepToGenericTarget('assigned_object', 'dcim.interface');
const referencePathToMachineInterface = resolveStepToGenericTarget('assigned_object', 'virtualization.vminterface');

/**
 * Model of a MAC address and the interface that has the address. Database triggers prevent removing the primary MAC
 * address from its interface (docs/contract/inventory.md 3.3).
 */
export const macAddressModel = defineModel('dcim.macaddress', {
  path: 'dcim/mac-addresses',
  objectName: 'MACAddress',
  verboseName: 'MAC address',
  verboseNamePlural: 'MAC addresses',
  fields: {
    ...common.identityFields,
    mac_address: { ...macAddressField({ required: true, label: 'MAC address' }), metadata: { type: 'field' } },
    assigned_object_type: objectTypeField(macAddressAssignedObjectTypes, { nullable: true }),
    assigned_object_id: integerField({ nullable: true, min: 0 }),
    assigned_object: genericObjectField({
      type: 'assigned_object_type',
      id: 'assigned_object_id',
      allowed: macAddressAssignedObjectTypes,
    }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'assigned_object',
  display: (alias) => `upper(${alias}.mac_address::text)`,
  brief: ['id', 'url', 'display', 'mac_address', 'description'],
  order: [{ field: 'mac_address' }],
  search: [
    { sql: (alias) => `${alias}.mac_address::text`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'dcim_macaddress_primary', key: '__all__' }],
  filters: [
    relatedFilterIgnoringUnknownIds('device', [[referencePathToDeviceInterface, 'device']], 'name'),
    relatedFilterIgnoringUnknownIds('device_id', [[referencePathToDeviceInterface, 'device']], 'id'),
    relatedFilterIgnoringUnknownIds('virtual_machine', [[referencePathToMachineInterface, 'virtual_machine']], 'name'),
    relatedFilterIgnoringUnknownIds('virtual_machine_id', [[referencePathToMachineInterface, 'virtual_machine']], 'id'),
    referencePathFilters('interface', [referencePathToDeviceInterface], 'name'),
    referencePathFilters('vminterface', [referencePathToMachineInterface], 'name'),
    booleanFilter('assigned', (alias) => `(${alias}.assigned_object_id IS NOT NULL)`),
    booleanFilter(
      'primary',
      (alias) => `(${alias}.id IN (SELECT i.primary_mac_address_id FROM dcim_interface i)
        OR ${alias}.id IN (SELECT i.primary_mac_address_id FROM virtualization_vminterface i))`,
    ),
  ],
});
