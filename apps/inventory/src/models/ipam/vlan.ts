import { defineModel } from '../../engine/declaration/model.js';
import type { Filter } from '../../engine/filter/filter.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { objectFilterWhere } from '../../engine/filter/relation-filter.js';
import { singleObjectFilter } from '../../engine/filter/single-object-filter.js';
import { choice } from '../../engine/kinds/choice.js';
import { countOf, display } from '../../engine/kinds/computed.js';
import { integer } from '../../engine/kinds/number.js';
import { ref } from '../../engine/kinds/relation.js';
import { reverseGenericOne } from '../../engine/kinds/reverse-generic.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const vlanStatus = { active: 'Active', reserved: 'Reserved', deprecated: 'Deprecated' };
const qinqRole = { svlan: 'Service', cvlan: 'Customer' };

/** Filters by where the site of a VLAN stands. */
const placeFilters = (
  [
    ['region', 'dcim_region', 'region_id'],
    ['site_group', 'dcim_sitegroup', 'group_id'],
  ] as const
).flatMap(([name, table, column]) =>
  (['id', 'slug'] as const).map((by) =>
    objectFilterWhere(by === 'id' ? `${name}_id` : name, {
      target: { table },
      by,
      below: true,
      matches: (alias, ids) => `${alias}.site_id IN (SELECT s.id FROM dcim_site s WHERE s.${column} = ANY (${ids}))`,
      isNull: (alias) =>
        `NOT EXISTS (SELECT FROM dcim_site s WHERE s.id = ${alias}.site_id AND s.${column} IS NOT NULL)`,
    }),
  ),
);

/** VLANs that are bound to no place. */
const everywhere = (alias: string): string =>
  `(${alias}.site_id IS NULL AND (${alias}.group_id IS NULL OR ${alias}.group_id IN (SELECT g.id FROM ipam_vlangroup g WHERE g.scope_id IS NULL)))`;

/** VLANs that may be used in a place (contract 9.4). */
const availableFilters: readonly Filter[] = [
  singleObjectFilter(
    'available_at_site',
    { table: 'dcim_site' },
    'id',
    (alias, ids) => `(${alias}.site_id = ANY (${ids}) OR ${everywhere(alias)} OR ${alias}.group_id IN (
      SELECT g.id FROM ipam_vlangroup g JOIN dcim_site s ON s.id = ANY (${ids})
        LEFT JOIN dcim_region region ON region.id = s.region_id LEFT JOIN dcim_sitegroup sites ON sites.id = s.group_id
      WHERE (g.scope_type = 'dcim.site' AND g.scope_id = s.id)
        OR (g.scope_type = 'dcim.region' AND g.scope_id = ANY (region._path))
        OR (g.scope_type = 'dcim.sitegroup' AND g.scope_id = ANY (sites._path))))`,
  ),
  singleObjectFilter(
    'available_at_site_group',
    { table: 'dcim_sitegroup' },
    'id',
    (alias, ids) => `(${everywhere(alias)} OR ${alias}.group_id IN (
      SELECT g.id FROM ipam_vlangroup g JOIN dcim_sitegroup sites ON sites.id = ANY (${ids})
      WHERE g.scope_type = 'dcim.sitegroup' AND g.scope_id = ANY (sites._path)))`,
  ),
];

/** A virtual network. A trigger of the database holds it against its group (contract 3.5). */
export const vlan = defineModel('ipam.vlan', {
  path: 'ipam/vlans',
  objectName: 'VLAN',
  verboseName: 'VLAN',
  verboseNamePlural: 'VLANs',
  fields: {
    ...common.identity,
    site: ref('dcim.site', { nullable: true }),
    group: ref('ipam.vlangroup', { nullable: true }),
    vid: integer({ required: true, min: 1, max: 4094, label: 'VLAN ID' }),
    name: text({ max: 64, required: true }),
    tenant: ref('tenancy.tenant', { nullable: true }),
    status: choice(vlanStatus, { default: 'active' }),
    role: ref('ipam.role', { nullable: true, onDelete: 'set_null' }),
    description: common.description,
    qinq_role: choice(qinqRole, { nullable: true, label: 'Q-in-Q role' }),
    qinq_svlan: ref('ipam.vlan', { nullable: true, filterBy: null }),
    owner: common.owner,
    comments: common.comments,
    l2vpn_termination: reverseGenericOne('vpn.l2vpntermination', {
      type: 'assigned_object_type',
      id: 'assigned_object_id',
    }),
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    prefix_count: countOf('ipam.prefix', { via: 'vlan' }),
    // The old name of `display`, which inventory.md still lists.
    display_name: display(),
  },
  display: (alias) => `concat(${alias}.name, ' (', ${alias}.vid, ')')`,
  brief: ['id', 'url', 'display', 'vid', 'name', 'description'],
  order: [{ field: 'site' }, { field: 'group' }, { field: 'vid' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.vid`, lookup: 'exact' },
  ],
  constraints: [
    { name: 'ipam_vlan_group_id_vid_key', fields: ['group', 'vid'] },
    { name: 'ipam_vlan_group_id_name_key', fields: ['group', 'name'] },
    { name: 'ipam_vlan_qinq_svlan_id_vid_key', fields: ['qinq_svlan', 'vid'] },
    { name: 'ipam_vlan_qinq_svlan_id_name_key', fields: ['qinq_svlan', 'name'] },
    { name: 'ipam_vlan_group_ranges', key: 'vid' },
    { name: 'ipam_vlan_group_scope', key: '__all__' },
  ],
  rules: [
    ({ qinq_role: role, qinq_svlan: service }) =>
      typeof service === 'number' && role !== 'cvlan'
        ? { qinq_svlan: ['Only Q-in-Q customer VLANs may be assigned to a service VLAN.'] }
        : null,
    ({ qinq_role: role, qinq_svlan: service }) =>
      role === 'cvlan' && typeof service !== 'number'
        ? { qinq_role: ['A Q-in-Q customer VLAN must be assigned to a service VLAN.'] }
        : null,
  ],
  filters: [
    ...tenantGroupFilters,
    ...placeFilters,
    ...availableFilters,
    integerFilter('qinq_svlan_vid', (alias) => `(SELECT s.vid FROM ipam_vlan s WHERE s.id = ${alias}.qinq_svlan_id)`),
  ],
});
