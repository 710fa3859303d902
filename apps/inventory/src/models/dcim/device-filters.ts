import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ListFilter, ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { referencePathFilters, relatedFieldFilter, relatedObjectFilter } from '../../engine/filter/path-filter.js';

/**
 * Returns a boolean filter of devices by whether a device has at least one row in any of the given tables, such as a
 * port.
 */
function createDevicesWithRowsFilter(name: string, ...tables: readonly string[]): ListFilter {
  return booleanFilter(
    name,
    (alias) =>
      `(${tables.map((table) => `EXISTS (SELECT FROM ${table} c WHERE c.device_id = ${alias}.id)`).join(' OR ')})`,
  );
}

const referencePathToParentBay = resolveStepToReferringObjects('dcim.devicebay', 'installed_device');

/** Filters of devices by related objects, and by properties that are not fields of the model of devices. */
export const deviceFilters: readonly (ListFilter | ModelFilterFactory)[] = [
  referencePathFilters('manufacturer', 'device_type.manufacturer'),
  referencePathFilters('region', 'site.region'),
  referencePathFilters('site_group', 'site.group'),
  referencePathFilters('cluster_group', 'cluster.group'),
  relatedObjectFilter('model', 'device_type', { by: 'slug' }),
  relatedObjectFilter('primary_ip4', 'primary_ip4', { by: 'address' }),
  relatedObjectFilter('primary_ip6', 'primary_ip6', { by: 'address' }),
  relatedObjectFilter('parent_device_id', [referencePathToParentBay, 'device']),
  relatedObjectFilter('parent_bay_id', [referencePathToParentBay]),
  relatedFieldFilter('is_full_depth', 'device_type', 'is_full_depth'),
  relatedFieldFilter(
    'mac_address',
    [
      resolveStepToReferringObjects('dcim.interface', 'device'),
      resolveStepToReferringObjects('dcim.macaddress', 'assigned_object'),
    ],
    'mac_address',
  ),
  booleanFilter('local_context_data', (alias) => `(${alias}.local_context_data IS NOT NULL)`),
  booleanFilter('has_primary_ip', (alias) => `(num_nonnulls(${alias}.primary_ip4_id, ${alias}.primary_ip6_id) > 0)`),
  booleanFilter('has_oob_ip', (alias) => `(${alias}.oob_ip_id IS NOT NULL)`),
  booleanFilter('virtual_chassis_member', (alias) => `(${alias}.virtual_chassis_id IS NOT NULL)`),
  createDevicesWithRowsFilter('console_ports', 'dcim_consoleport'),
  createDevicesWithRowsFilter('console_server_ports', 'dcim_consoleserverport'),
  createDevicesWithRowsFilter('power_ports', 'dcim_powerport'),
  createDevicesWithRowsFilter('power_outlets', 'dcim_poweroutlet'),
  createDevicesWithRowsFilter('interfaces', 'dcim_interface'),
  createDevicesWithRowsFilter('pass_through_ports', 'dcim_frontport', 'dcim_rearport'),
  createDevicesWithRowsFilter('module_bays', 'dcim_modulebay'),
  createDevicesWithRowsFilter('device_bays', 'dcim_devicebay'),
  createDevicesWithRowsFilter('has_virtual_device_context', 'dcim_virtualdevicecontext'),
];
