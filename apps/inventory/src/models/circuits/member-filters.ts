import type { FilterSource } from '../../engine/filter/filter.js';
import { looselyAlong } from '../../engine/filter/loose-filter.js';
import { onlyOf } from '../../engine/filter/path.js';

const circuit = onlyOf('member', 'circuits.circuit');
const virtualCircuit = onlyOf('member', 'circuits.virtualcircuit');

/**
 * Members of groups by circuit, virtual circuit and provider; what names nothing finds nothing
 * (docs/contract/inventory.md 9.4).
 */
export const memberFilters: readonly FilterSource[] = [
  looselyAlong('circuit', [[circuit]], 'cid'),
  looselyAlong('circuit_id', [[circuit]], 'id'),
  looselyAlong('virtual_circuit', [[virtualCircuit]], 'cid'),
  looselyAlong('virtual_circuit_id', [[virtualCircuit]], 'id'),
  ...(['slug', 'id'] as const).map((by) =>
    looselyAlong(
      by === 'id' ? 'provider_id' : 'provider',
      [
        [circuit, 'provider'],
        [virtualCircuit, 'provider_network.provider'],
      ],
      by,
    ),
  ),
];
