import { defineModel } from '../../engine/declaration/model.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';

const { id, url, display } = common.identity;

const interfaceTypes = ['dcim.interface', 'virtualization.vminterface'];

/** That an interface answers for an FHRP group. */
export const fhrpGroupAssignment = defineModel('ipam.fhrpgroupassignment', {
  path: 'ipam/fhrp-group-assignments',
  objectName: 'FHRPGroupAssignment',
  verboseName: 'FHRP group assignment',
  verboseNamePlural: 'FHRP group assignments',
  fields: {
    id,
    url,
    display,
    group: ref('ipam.fhrpgroup', { required: true, onDelete: 'cascade', filterBy: null }),
    interface_type: objectType(interfaceTypes, { required: true }),
    interface_id: integer({ required: true, min: 0 }),
    interface: genericObject({ type: 'interface_type', id: 'interface_id', allowed: interfaceTypes }),
    priority: integer({ required: true, min: 0, max: 255 }),
    ...common.times,
  },
  relatedTo: 'interface',
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `${alias}.interface_type || ' ' || ${alias}.interface_id || ': ' || ${alias}.group_id || ' (' || ${alias}.priority || ')'`,
  brief: ['id', 'url', 'display', 'group', 'interface_type', 'interface_id', 'priority'],
  order: [{ field: 'priority', descending: true }],
  constraints: [
    {
      name: 'ipam_fhrpgroupassignment_interface_type_interface_id_group__key',
      fields: ['interface_type', 'interface_id', 'group'],
    },
  ],
  // DRAFT rules: one per interface and group; priority 0..255
  // DRAFT filters: device (string, no lookups): on an interface of the device (name)
  // DRAFT filters: device_id (integer, no lookups): as device by id
  // DRAFT filters: virtual_machine (string, no lookups): assigned to an interface of the VM (name)
  // DRAFT filters: virtual_machine_id (integer, no lookups): assigned to an interface of the VM (id)
});
