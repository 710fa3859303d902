import type { FilterSource } from '../../engine/filter/filter.js';
import { looseRelatedFilter } from '../../engine/filter/loose-filter.js';
import { onlyOf } from '../../engine/filter/path.js';

const circuit = onlyOf('member', 'circuits.circuit');
const virtualCircuit = onlyOf('member', 'circuits.virtualcircuit');

/**
 * Filters of circuit group assignments by circuit, virtual circuit and provider. Values that name no object match
 * nothing (docs/contract/inventory.md 9.4).
 */
export const memberFilters: readonly FilterSource[] = [
  looseRelatedFilter('circuit', [[circuit]], 'cid'),
  looseRelatedFilter('circuit_id', [[circuit]], 'id'),
  looseRelatedFilter('virtual_circuit', [[virtualCircuit]], 'cid'),
  looseRelatedFilter('virtual_circuit_id', [[virtualCircuit]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    looseRelatedFilter(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [circuit, 'provider'],
        [virtualCircuit, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
