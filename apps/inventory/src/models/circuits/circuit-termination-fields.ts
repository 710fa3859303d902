import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Names of the two fields of a circuit termination that refer to the site, network or other object at which the circuit
 * ends. One field has the model, the other field has the id.
 */
export const circuitTerminationPlaceFields = { type: 'termination_type', id: 'termination_id' };

/** Names of the fields that a circuit termination shows when nested in its circuit. */
export const nestedCircuitTerminationFields = [
  'id',
  'url',
  'display_url',
  'display',
  'termination_type',
  'termination_id',
  'termination',
  'port_speed',
  'upstream_speed',
  'xconnect_id',
  'description',
] as const;

/** Returns the SQL condition that at least one termination of a circuit meets a condition. */
export function createAnyTerminationCondition(alias: string, condition: (end: string) => SqlText): SqlText {
  return `${alias}.id IN (SELECT e.circuit_id FROM circuits_circuittermination e WHERE ${condition('e')})`;
}
