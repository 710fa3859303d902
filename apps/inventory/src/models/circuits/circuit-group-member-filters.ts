import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { relatedFilterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { resolveStepToGenericTarget } from '../../engine/filter/resolve-reference-path.js';

const referencePathToCircuit = resolveStepToGenericTarget('member', 'circuits.circuit');
const referencePathToVirtualCircuit = resolveStepToGenericTarget('member', 'circuits.virtualcircuit');

/**
 * Filters of circuit group assignments by circuit, virtual circuit and provider. A filter value that names no object
 * matches no rows (docs/contract/inventory.md 9.4).
 */
export const circuitGroupMemberFilters: readonly ModelFilterFactory[] = [
  relatedFilterIgnoringUnknownIds('circuit', [[referencePathToCircuit]], 'cid'),
  relatedFilterIgnoringUnknownIds('circuit_id', [[referencePathToCircuit]], 'id'),
  relatedFilterIgnoringUnknownIds('virtual_circuit', [[referencePathToVirtualCircuit]], 'cid'),
  relatedFilterIgnoringUnknownIds('virtual_circuit_id', [[referencePathToVirtualCircuit]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    relatedFilterIgnoringUnknownIds(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [referencePathToCircuit, 'provider'],
        [referencePathToVirtualCircuit, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
