import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { looseRelatedFilter } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { stepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';

const pathToCircuit = stepToGenericTarget('member', 'circuits.circuit');
const pathToVirtualCircuit = stepToGenericTarget('member', 'circuits.virtualcircuit');

/**
 * Filters of circuit group assignments by circuit, virtual circuit and provider. Values that name no object match
 * nothing (docs/contract/inventory.md 9.4).
 */
export const groupMemberFilters: readonly CreateFilters[] = [
  looseRelatedFilter('circuit', [[pathToCircuit]], 'cid'),
  looseRelatedFilter('circuit_id', [[pathToCircuit]], 'id'),
  looseRelatedFilter('virtual_circuit', [[pathToVirtualCircuit]], 'cid'),
  looseRelatedFilter('virtual_circuit_id', [[pathToVirtualCircuit]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    looseRelatedFilter(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [pathToCircuit, 'provider'],
        [pathToVirtualCircuit, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
