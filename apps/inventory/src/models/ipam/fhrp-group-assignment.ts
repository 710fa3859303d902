import { defineModel } from '../../engine/declaration/define-model.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { resolveStepToGenericTarget, type ReferencePath } from '../../engine/filter/resolve-reference-path.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { fhrpGroupModel } from './fhrp-group.js';

const { id, url, display } = common.identityFields;

const fhrpGroupInterfaceTypes = ['dcim.interface', 'virtualization.vminterface'];

const referencePathToDevice: ReferencePath = [resolveStepToGenericTarget('interface', 'dcim.interface'), 'device'];
const referencePathToVirtualMachine: ReferencePath = [
  resolveStepToGenericTarget('interface', 'virtualization.vminterface'),
  'virtual_machine',
];

/** Model of the assignment of an FHRP group to an interface. */
export const fhrpGroupAssignmentModel = defineModel('ipam.fhrpgroupassignment', {
  path: 'ipam/fhrp-group-assignments',
  objectName: 'FHRPGroupAssignment',
  verboseName: 'FHRP group assignment',
  verboseNamePlural: 'FHRP group assignments',
  fields: {
    id,
    url,
    display,
    group: referenceField('ipam.fhrpgroup', { required: true, onDelete: 'cascade', filterBy: null }),
    interface_type: objectTypeField(fhrpGroupInterfaceTypes, { required: true }),
    interface_id: integerField({ required: true, min: 0 }),
    interface: genericObjectField({ type: 'interface_type', id: 'interface_id', allowed: fhrpGroupInterfaceTypes }),
    priority: integerField({ required: true, min: 0, max: 255 }),
    ...common.creationTimeFields,
  },
  relatedTo: 'interface',
  display: (alias, registry) => `concat(CASE ${alias}.interface_type
      WHEN 'dcim.interface' THEN (SELECT concat(i.name, ' (' || nullif(i.label, '') || ')') FROM dcim_interface i WHERE i.id = ${alias}.interface_id)
      ELSE (SELECT i.name FROM virtualization_vminterface i WHERE i.id = ${alias}.interface_id) END,
    ': ', (SELECT ${fhrpGroupModel.display('g', registry)} FROM ipam_fhrpgroup g WHERE g.id = ${alias}.group_id), ' (', ${alias}.priority, ')')`,
  brief: ['id', 'url', 'display', 'group', 'interface_type', 'interface_id', 'priority'],
  order: [{ field: 'priority', descending: true }],
  constraints: [
    {
      name: 'ipam_fhrpgroupassignment_interface_type_interface_id_group__key',
      fields: ['interface_type', 'interface_id', 'group'],
    },
  ],
  filters: [
    relatedFilterIgnoringUnknownIds('device', [referencePathToDevice], 'name'),
    relatedFilterIgnoringUnknownIds('device_id', [referencePathToDevice], 'id'),
    relatedFilterIgnoringUnknownIds('virtual_machine', [referencePathToVirtualMachine], 'name'),
    relatedFilterIgnoringUnknownIds('virtual_machine_id', [referencePathToVirtualMachine], 'id'),
  ],
});
