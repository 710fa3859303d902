import { defineModel } from '../../engine/declaration/model.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import * as common from '../field-groups.js';

const assignedObjectTypes = ['dcim.interface', 'virtualization.vminterface'];

/** A hardware address, and the interface that has it. */
export const macAddress = defineModel('dcim.macaddress', {
  path: 'dcim/mac-addresses',
  objectName: 'MACAddress',
  verboseName: 'MAC address',
  verboseNamePlural: 'MAC addresses',
  fields: {
    ...common.identity,
    // DRAFT field: mac_address (mac, required; column MACAddressField)
    assigned_object_type: objectType(assignedObjectTypes, { nullable: true }),
    assigned_object_id: integer({ nullable: true, min: 0 }),
    assigned_object: genericObject({
      type: 'assigned_object_type',
      id: 'assigned_object_id',
      allowed: assignedObjectTypes,
    }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
  },
  relatedTo: 'assigned_object',
  display: (alias) => `upper(${alias}.mac_address::text)`,
  // DRAFT brief: and mac_address
  brief: ['id', 'url', 'display', 'description'],
  order: [{ field: 'mac_address' }],
  search: [
    { sql: (alias) => `${alias}.mac_address::text`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
  ],
  // DRAFT rules: 4.2+; not unique; normalised to upper case colon form; cannot be unassigned or moved while primary of an interface
  // DRAFT filters: mac_address (mac, n ic nic iew niew isw nisw ie nie regex iregex)
  // DRAFT filters: device (string, no lookups): assigned to an interface of the device (name)
  // DRAFT filters: device_id (integer, no lookups): as device by id
  // DRAFT filters: virtual_machine (string, no lookups): assigned to an interface of the VM (name)
  // DRAFT filters: virtual_machine_id (integer, no lookups): assigned to an interface of the VM (id)
  // DRAFT filters: interface (object_multi, n): path interface.name
  // DRAFT filters: interface_id (object_multi, n): path interface
  // DRAFT filters: vminterface (object_multi, n): path vminterface.name
  // DRAFT filters: vminterface_id (object_multi, n): path vminterface
  // DRAFT filters: assigned (boolean, no lookups): true: any assigned object; false: none
  // DRAFT filters: primary (boolean, no lookups): true: is primary MAC of some interface
});
