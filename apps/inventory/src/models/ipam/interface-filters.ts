import {
  filterIgnoringUnknownIds,
  relatedFilterIgnoringUnknownIds,
} from '../../engine/filter/filter-ignoring-unknown-ids.js';
import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';
import { createDeviceInterfaceIdsSql } from '../dcim/device-interfaces-sql.js';

const referencePathToDeviceInterface = resolveStepToGenericTarget('assigned_object', 'dcim.interface');
const referencePathToMachineInterface = resolveStepToGenericTarget('assigned_object', 'virtualization.vminterface');

/**
 * Filters of IP addresses by the interface to which an address is assigned, and by the device or virtual machine of
 * that interface (docs/contract/inventory.md 9.4).
 */
export const ipAddressInterfaceFilters: readonly ModelFilterFactory[] = [
  () =>
    (['name', 'id'] as const).map((by) =>
      filterIgnoringUnknownIds(
        by === 'id' ? 'device_id' : 'device',
        { table: 'dcim_device' },
        by,
        (alias, ids) =>
          `(${alias}.assigned_object_type = 'dcim.interface' AND ${alias}.assigned_object_id IN (${createDeviceInterfaceIdsSql(ids)}))`,
      ),
    ),
  relatedFilterIgnoringUnknownIds('virtual_machine', [[referencePathToMachineInterface, 'virtual_machine']], 'name'),
  relatedFilterIgnoringUnknownIds('virtual_machine_id', [[referencePathToMachineInterface, 'virtual_machine']], 'id'),
  referencePathFilters('interface', [referencePathToDeviceInterface], 'name'),
  referencePathFilters('vminterface', [referencePathToMachineInterface], 'name'),
];
