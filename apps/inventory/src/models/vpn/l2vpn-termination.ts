import { defineModel } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { referencePathFilters, relatedFieldFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget, type ReferencePath } from '../../engine/filter/resolve-reference-path.js';
import { createGenericDisplayNameSql, genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { l2vpnModel } from './l2vpn.js';
import { createAnyTerminationPathFilters } from './filters-over-termination-paths.js';

const l2vpnTerminationObjectTypes = ['dcim.interface', 'ipam.vlan', 'virtualization.vminterface'];
const l2vpnTerminationObjectReference = {
  type: 'assigned_object_type',
  id: 'assigned_object_id',
  allowed: l2vpnTerminationObjectTypes,
};

const [onInterface, onVlan, onVmInterface] = [
  resolveStepToGenericTarget('assigned_object', 'dcim.interface'),
  resolveStepToGenericTarget('assigned_object', 'ipam.vlan'),
  resolveStepToGenericTarget('assigned_object', 'virtualization.vminterface'),
];

const createTerminatedObjectNameSql = (alias: string, registry: ModelRegistry): SqlText =>
  createGenericDisplayNameSql(registry, l2vpnTerminationObjectTypes, {
    alias,
    type: `${alias}.assigned_object_type`,
    id: `${alias}.assigned_object_id`,
  });

/** Reference paths from an L2VPN termination to the site of its interface or VLAN. */
const referencePathsToSite: readonly ReferencePath[] = [
  [onVlan, 'site'],
  [onInterface, 'device.site'],
  [onVmInterface, 'virtual_machine.site'],
];
const referencePathsToRegion = referencePathsToSite.map((way): ReferencePath => [...way, 'region']);

/** Model of an L2VPN termination: an interface or VLAN that belongs to an L2VPN. */
export const l2vpnTerminationModel = defineModel('vpn.l2vpntermination', {
  path: 'vpn/l2vpn-terminations',
  objectName: 'L2VPNTermination',
  verboseName: 'L2VPN termination',
  verboseNamePlural: 'L2VPN terminations',
  fields: {
    ...common.identityFields,
    l2vpn: referenceField('vpn.l2vpn', { required: true, onDelete: 'cascade' }),
    assigned_object_type: objectTypeField(l2vpnTerminationObjectTypes, { required: true }),
    assigned_object_id: integerField({ required: true, min: 0 }),
    assigned_object: genericObjectField(l2vpnTerminationObjectReference),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias, registry) =>
    `concat(${createTerminatedObjectNameSql(alias, registry)}, ' <> ', (SELECT ${l2vpnModel.display('l', registry)} FROM vpn_l2vpn l WHERE l.id = ${alias}.l2vpn_id))`,
  brief: ['id', 'url', 'display', 'l2vpn'],
  order: [{ field: 'l2vpn' }],
  search: [common.createOtherTableSearchTerms('vpn_l2vpntermination', 'l2vpn_id', 'vpn_l2vpn', 'name')],
  filters: [
    ...createAnyTerminationPathFilters('region', referencePathsToRegion),
    ...createAnyTerminationPathFilters('site', referencePathsToSite),
    referencePathFilters('device', [onInterface, 'device'], 'name'),
    referencePathFilters('virtual_machine', [onVmInterface, 'virtual_machine'], 'name'),
    referencePathFilters('interface', [onInterface], 'name'),
    referencePathFilters('vminterface', [onVmInterface], 'name'),
    referencePathFilters('vlan', [onVlan], 'name'),
    (model, registry) =>
      relatedFieldFilter(
        'vlan_vid',
        [onVlan],
        'vid',
      )(model, registry).map((filter) => ({ ...filter, multiple: false })),
    createModelIdFilter('assigned_object_type_id'),
  ],
  constraints: [
    { name: 'vpn_l2vpntermination_assigned' },
    { name: 'vpn_l2vpntermination_ends' },
    {
      name: 'vpn_l2vpntermination_assigned_object_type_assigned_object_i_key',
      fields: ['assigned_object_type', 'assigned_object_id'],
    },
  ],
});
