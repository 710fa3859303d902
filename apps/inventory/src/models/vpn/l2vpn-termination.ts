import { defineModel } from '../../engine/declaration/define-model.js';
import type { Registry } from '../../engine/declaration/model-registry.js';
import { pathFilters, relatedFieldFilter } from '../../engine/filter/path-filter.js';
import { stepToGenericTarget, type ReferencePath } from '../../engine/filter/resolve-reference-path.js';
import { genericDisplaySql, genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectType } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import type { Sql } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { modelIdFilter } from '../object-type-ids.js';
import { l2vpn } from './l2vpn.js';
import { anyPathFilters } from './filters-over-termination-paths.js';

const assignedObjectTypes = ['dcim.interface', 'ipam.vlan', 'virtualization.vminterface'];
const assignedObject = { type: 'assigned_object_type', id: 'assigned_object_id', allowed: assignedObjectTypes };

const [onInterface, onVlan, onVmInterface] = [
  stepToGenericTarget('assigned_object', 'dcim.interface'),
  stepToGenericTarget('assigned_object', 'ipam.vlan'),
  stepToGenericTarget('assigned_object', 'virtualization.vminterface'),
];

const terminatedObjectNameSql = (alias: string, registry: Registry): Sql =>
  genericDisplaySql(registry, assignedObjectTypes, {
    alias,
    type: `${alias}.assigned_object_type`,
    id: `${alias}.assigned_object_id`,
  });

/** Filter paths from an L2VPN termination to the site of its interface or VLAN. */
const pathsToSite: readonly ReferencePath[] = [
  [onVlan, 'site'],
  [onInterface, 'device.site'],
  [onVmInterface, 'virtual_machine.site'],
];
const pathsToRegion = pathsToSite.map((way): ReferencePath => [...way, 'region']);

/** An interface or VLAN that belongs to an L2VPN. */
export const l2vpnTermination = defineModel('vpn.l2vpntermination', {
  path: 'vpn/l2vpn-terminations',
  objectName: 'L2VPNTermination',
  verboseName: 'L2VPN termination',
  verboseNamePlural: 'L2VPN terminations',
  fields: {
    ...common.identityFields,
    l2vpn: referenceField('vpn.l2vpn', { required: true, onDelete: 'cascade' }),
    assigned_object_type: objectType(assignedObjectTypes, { required: true }),
    assigned_object_id: integerField({ required: true, min: 0 }),
    assigned_object: genericObjectField(assignedObject),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.timeFields,
  },
  display: (alias, registry) =>
    `concat(${terminatedObjectNameSql(alias, registry)}, ' <> ', (SELECT ${l2vpn.display('l', registry)} FROM vpn_l2vpn l WHERE l.id = ${alias}.l2vpn_id))`,
  brief: ['id', 'url', 'display', 'l2vpn'],
  order: [{ field: 'l2vpn' }],
  search: [common.searchInOtherTable('vpn_l2vpntermination', 'l2vpn_id', 'vpn_l2vpn', 'name')],
  filters: [
    ...anyPathFilters('region', pathsToRegion),
    ...anyPathFilters('site', pathsToSite),
    pathFilters('device', [onInterface, 'device'], 'name'),
    pathFilters('virtual_machine', [onVmInterface, 'virtual_machine'], 'name'),
    pathFilters('interface', [onInterface], 'name'),
    pathFilters('vminterface', [onVmInterface], 'name'),
    pathFilters('vlan', [onVlan], 'name'),
    (model, registry) =>
      relatedFieldFilter(
        'vlan_vid',
        [onVlan],
        'vid',
      )(model, registry).map((filter) => ({ ...filter, multiple: false })),
    modelIdFilter('assigned_object_type_id'),
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
