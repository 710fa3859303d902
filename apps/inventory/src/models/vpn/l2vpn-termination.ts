import { defineModel } from '../../engine/declaration/model.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';

const assignedObjectTypes = ['dcim.interface', 'ipam.vlan', 'virtualization.vminterface'];

/** An interface or VLAN that belongs to an L2VPN. */
export const l2vpnTermination = defineModel('vpn.l2vpntermination', {
  path: 'vpn/l2vpn-terminations',
  objectName: 'L2VPNTermination',
  verboseName: 'L2VPN termination',
  verboseNamePlural: 'L2VPN terminations',
  fields: {
    ...common.identity,
    l2vpn: ref('vpn.l2vpn', { required: true, onDelete: 'cascade' }),
    assigned_object_type: objectType(assignedObjectTypes, { required: true }),
    assigned_object_id: integer({ required: true, min: 0 }),
    assigned_object: genericObject({
      type: 'assigned_object_type',
      id: 'assigned_object_id',
      allowed: assignedObjectTypes,
    }),
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
  },
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `${alias}.assigned_object_type || ' ' || ${alias}.assigned_object_id || ' <> ' || (SELECT l.name FROM vpn_l2vpn l WHERE l.id = ${alias}.l2vpn_id)`,
  brief: ['id', 'url', 'display', 'l2vpn'],
  order: [{ field: 'l2vpn' }],
  search: [{ sql: (alias) => `(SELECT r.name FROM vpn_l2vpn r WHERE r.id = ${alias}.l2vpn_id)`, lookup: 'icontains' }],
  constraints: [
    {
      name: 'vpn_l2vpntermination_assigned_object_type_assigned_object_i_key',
      fields: ['assigned_object_type', 'assigned_object_id'],
    },
  ],
  // DRAFT rules: object (VLAN, interface, VM interface) used once; point-to-point types allow two terminations
  // DRAFT filters: region (string, no lookups): VLAN site, device site or VM site in that region (slug)
  // DRAFT filters: region_id (integer, no lookups): as region by id
  // DRAFT filters: site (string, no lookups): VLAN, device or VM in that site (slug)
  // DRAFT filters: site_id (integer, no lookups): as site by id
  // DRAFT filters: device (object_multi, n): path interface.device.name
  // DRAFT filters: device_id (object_multi, n): path interface.device
  // DRAFT filters: virtual_machine (object_multi, n): path vminterface.virtual_machine.name
  // DRAFT filters: virtual_machine_id (object_multi, n): path vminterface.virtual_machine
  // DRAFT filters: interface (object_multi, n): path interface.name
  // DRAFT filters: interface_id (object_multi, n): path interface
  // DRAFT filters: vminterface (object_multi, n): path vminterface.name
  // DRAFT filters: vminterface_id (object_multi, n): path vminterface
  // DRAFT filters: vlan (object_multi, n): path vlan.name
  // DRAFT filters: vlan_vid (number_single, n lte lt gte gt empty): path vlan.vid
  // DRAFT filters: vlan_id (object_multi, n): path vlan
  // DRAFT filters: assigned_object_type_id (object_multi, n): path assigned_object_type
});
