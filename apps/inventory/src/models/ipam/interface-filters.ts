import { looseFilter, looseRelatedFilter } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { pathFilters } from '../../engine/filter/path-filter.js';
import { stepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { interfaceIdsOfDevicesSql } from '../dcim/device-interfaces-sql.js';

const deviceInterfacePath = stepToGenericTarget('assigned_object', 'dcim.interface');
const machineInterfacePath = stepToGenericTarget('assigned_object', 'virtualization.vminterface');

/**
 * Filters of IP addresses by the interface that an address is assigned to, and by the device or virtual machine of that
 * interface (docs/contract/inventory.md 9.4).
 */
export const addressInterfaceFilters: readonly CreateFilters[] = [
  () =>
    (['name', 'id'] as const).map((by) =>
      looseFilter(
        by === 'id' ? 'device_id' : 'device',
        { table: 'dcim_device' },
        by,
        (alias, ids) =>
          `(${alias}.assigned_object_type = 'dcim.interface' AND ${alias}.assigned_object_id IN (${interfaceIdsOfDevicesSql(ids)}))`,
      ),
    ),
  looseRelatedFilter('virtual_machine', [[machineInterfacePath, 'virtual_machine']], 'name'),
  looseRelatedFilter('virtual_machine_id', [[machineInterfacePath, 'virtual_machine']], 'id'),
  pathFilters('interface', [deviceInterfacePath], 'name'),
  pathFilters('vminterface', [machineInterfacePath], 'name'),
];
