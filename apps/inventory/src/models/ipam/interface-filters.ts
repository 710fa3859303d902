import {
  filterIgnoringUnknownIds,
  relatedFilterIgnoringUnknownIds,
} from '../../engine/filter/filter-ignoring-unknown-ids.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { pathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { interfaceIdsOfDevicesSql } from '../dcim/device-interfaces-sql.js';

const deviceInterfacePath = resolveStepToGenericTarget('assigned_object', 'dcim.interface');
const machineInterfacePath = resolveStepToGenericTarget('assigned_object', 'virtualization.vminterface');

/**
 * Filters of IP addresses by the interface to which an address is assigned, and by the device or virtual machine of
 * that interface (docs/contract/inventory.md 9.4).
 */
export const addressInterfaceFilters: readonly CreateFilters[] = [
  () =>
    (['name', 'id'] as const).map((by) =>
      filterIgnoringUnknownIds(
        by === 'id' ? 'device_id' : 'device',
        { table: 'dcim_device' },
        by,
        (alias, ids) =>
          `(${alias}.assigned_object_type = 'dcim.interface' AND ${alias}.assigned_object_id IN (${interfaceIdsOfDevicesSql(ids)}))`,
      ),
    ),
  relatedFilterIgnoringUnknownIds('virtual_machine', [[machineInterfacePath, 'virtual_machine']], 'name'),
  relatedFilterIgnoringUnknownIds('virtual_machine_id', [[machineInterfacePath, 'virtual_machine']], 'id'),
  pathFilters('interface', [deviceInterfacePath], 'name'),
  pathFilters('vminterface', [machineInterfacePath], 'name'),
];
