import type { FilterSource } from '../../engine/filter/filter.js';
import { looseRelatedFilter } from '../../engine/filter/loose-filter.js';
import { genericTargetOf } from '../../engine/filter/path.js';

const circuitOfMember = genericTargetOf('member', 'circuits.circuit');
const virtualCircuitOfMember = genericTargetOf('member', 'circuits.virtualcircuit');

/**
 * Filters of circuit group assignments by circuit, virtual circuit and provider. Values that name no object match
 * nothing (docs/contract/inventory.md 9.4).
 */
export const memberFilters: readonly FilterSource[] = [
  looseRelatedFilter('circuit', [[circuitOfMember]], 'cid'),
  looseRelatedFilter('circuit_id', [[circuitOfMember]], 'id'),
  looseRelatedFilter('virtual_circuit', [[virtualCircuitOfMember]], 'cid'),
  looseRelatedFilter('virtual_circuit_id', [[virtualCircuitOfMember]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    looseRelatedFilter(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [circuitOfMember, 'provider'],
        [virtualCircuitOfMember, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
