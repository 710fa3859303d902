import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';

const pathToCircuit = resolveStepToGenericTarget('member', 'circuits.circuit');
const pathToVirtualCircuit = resolveStepToGenericTarget('member', 'circuits.virtualcircuit');

/**
 * Filters of circuit group assignments by circuit, virtual circuit and provider. A filter value that names no object
 * matches no rows (docs/contract/inventory.md 9.4).
 */
export const groupMemberFilters: readonly CreateFilters[] = [
  relatedFilterIgnoringUnknownIds('circuit', [[pathToCircuit]], 'cid'),
  relatedFilterIgnoringUnknownIds('circuit_id', [[pathToCircuit]], 'id'),
  relatedFilterIgnoringUnknownIds('virtual_circuit', [[pathToVirtualCircuit]], 'cid'),
  relatedFilterIgnoringUnknownIds('virtual_circuit_id', [[pathToVirtualCircuit]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    relatedFilterIgnoringUnknownIds(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [pathToCircuit, 'provider'],
        [pathToVirtualCircuit, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
