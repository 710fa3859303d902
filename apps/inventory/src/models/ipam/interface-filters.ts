import { looseFilter, looseRelatedFilter } from '../../engine/filter/loose-filter.js';
import type { FilterSource } from '../../engine/filter/filter.js';
import { viaPath } from '../../engine/filter/path-filter.js';
import { genericTargetOf } from '../../engine/filter/reference-path.js';
import { interfaceIdsOfDevicesSql } from '../dcim/device-interfaces-sql.js';

const deviceInterfacePath = genericTargetOf('assigned_object', 'dcim.interface');
const machineInterfacePath = genericTargetOf('assigned_object', 'virtualization.vminterface');

/**
 * Filters of IP addresses by the interface that an address is assigned to, and by the device or virtual machine of that
 * interface (docs/contract/inventory.md 9.4).
 */
export const addressInterfaceFilters: readonly FilterSource[] = [
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
  viaPath('interface', [deviceInterfacePath], 'name'),
  viaPath('vminterface', [machineInterfacePath], 'name'),
];
