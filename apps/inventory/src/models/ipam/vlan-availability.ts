import type { ListFilter } from '../../engine/filter/filter-problem.js';
import { singleObjectFilter } from '../../engine/filter/single-object-filter.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns the SQL condition that a VLAN can be used anywhere, because the VLAN has no site and its VLAN group has no
 * scope.
 */
const createUnrestrictedVlanCondition = (alias: string): SqlText =>
  `(${alias}.site_id IS NULL AND (${alias}.group_id IS NULL OR ${alias}.group_id IN (SELECT g.id FROM ipam_vlangroup g WHERE g.scope_id IS NULL)))`;

/**
 * SQL joins that add the region and the site group of the site `s` to a query, with the aliases `region` and `sites`.
 */
const siteRegionJoinsSql = `LEFT JOIN dcim_region region ON region.id = s.region_id LEFT JOIN dcim_sitegroup sites ON sites.id = s.group_id`;

/** SQL condition that the scope of a VLAN group `g` is the site `s`, or the region or site group of that site. */
const scopeIsSiteCondition = `(g.scope_type = 'dcim.site' AND g.scope_id = s.id)
  OR (g.scope_type = 'dcim.region' AND g.scope_id = ANY (region._path))
  OR (g.scope_type = 'dcim.sitegroup' AND g.scope_id = ANY (sites._path))`;

/** SQL condition that the scope of a VLAN group `g` is the cluster `c` or the cluster's group. */
const scopeIsClusterCondition = `(g.scope_type = 'virtualization.cluster' AND g.scope_id = c.id)
  OR (g.scope_type = 'virtualization.clustergroup' AND g.scope_id = c.group_id)`;

/**
 * SQL expression of the site of a virtual machine `v`. If the virtual machine has no site, the expression is the site
 * of its cluster `c`.
 */
const siteOfVirtualMachineSql = `coalesce(v.site_id, CASE c.scope_type WHEN 'dcim.site' THEN c.scope_id
  WHEN 'dcim.location' THEN (SELECT l.site_id FROM dcim_location l WHERE l.id = c.scope_id) END)`;

/**
 * Filters of VLANs by a site, a device or a virtual machine where the VLAN can be used (docs/contract/inventory.md
 * 9.4).
 */
export const availableVlanFilters: readonly ListFilter[] = [
  singleObjectFilter(
    'available_at_site',
    { table: 'dcim_site' },
    'id',
    (
      alias,
      ids,
    ) => `(${alias}.site_id = ANY (${ids}) OR ${createUnrestrictedVlanCondition(alias)} OR ${alias}.group_id IN (
      SELECT g.id FROM ipam_vlangroup g JOIN dcim_site s ON s.id = ANY (${ids}) ${siteRegionJoinsSql} WHERE ${scopeIsSiteCondition}))`,
  ),
  singleObjectFilter(
    'available_at_site_group',
    { table: 'dcim_sitegroup' },
    'id',
    (alias, ids) => `(${createUnrestrictedVlanCondition(alias)} OR ${alias}.group_id IN (
      SELECT g.id FROM ipam_vlangroup g JOIN dcim_sitegroup sites ON sites.id = ANY (${ids})
      WHERE g.scope_type = 'dcim.sitegroup' AND g.scope_id = ANY (sites._path)))`,
  ),
  singleObjectFilter(
    'available_on_device',
    { table: 'dcim_device' },
    'id',
    (alias, ids) => `(${createUnrestrictedVlanCondition(alias)}
      OR ${alias}.site_id IN (SELECT d.site_id FROM dcim_device d WHERE d.id = ANY (${ids}))
      OR ${alias}.group_id IN (SELECT g.id FROM ipam_vlangroup g JOIN dcim_device d ON d.id = ANY (${ids})
        JOIN dcim_site s ON s.id = d.site_id ${siteRegionJoinsSql}
        LEFT JOIN dcim_location location ON location.id = d.location_id
        LEFT JOIN virtualization_cluster c ON c.id = d.cluster_id
        WHERE ${scopeIsSiteCondition} OR ${scopeIsClusterCondition}
          OR (g.scope_type = 'dcim.location' AND g.scope_id = ANY (location._path))
          OR (g.scope_type = 'dcim.rack' AND g.scope_id = d.rack_id)))`,
  ),
  singleObjectFilter(
    'available_on_virtualmachine',
    { table: 'virtualization_virtualmachine' },
    'id',
    (alias, ids) => `(${createUnrestrictedVlanCondition(alias)}
      OR ${alias}.site_id IN (SELECT ${siteOfVirtualMachineSql} FROM virtualization_virtualmachine v
        LEFT JOIN virtualization_cluster c ON c.id = v.cluster_id WHERE v.id = ANY (${ids}))
      OR ${alias}.group_id IN (SELECT g.id FROM ipam_vlangroup g JOIN virtualization_virtualmachine v ON v.id = ANY (${ids})
        LEFT JOIN virtualization_cluster c ON c.id = v.cluster_id
        LEFT JOIN dcim_site s ON s.id = ${siteOfVirtualMachineSql} ${siteRegionJoinsSql}
        WHERE ${scopeIsSiteCondition} OR ${scopeIsClusterCondition}))`,
  ),
];

/** Filters of VLANs by an interface whose tagged or untagged traffic belongs to the VLAN. */
export const vlanInterfaceFilters: readonly ListFilter[] = (
  [
    ['interface_id', 'dcim_interface', 'interface_id'],
    ['vminterface_id', 'virtualization_vminterface', 'vminterface_id'],
  ] as const
).map(([name, table, column]) =>
  singleObjectFilter(
    name,
    { table },
    'id',
    (alias, ids) => `(${alias}.id IN (SELECT i.untagged_vlan_id FROM ${table} i WHERE i.id = ANY (${ids}))
      OR ${alias}.id IN (SELECT tagged.vlan_id FROM ${table}_tagged_vlans tagged WHERE tagged.${column} = ANY (${ids})))`,
  ),
);
