import type { SqlText } from '../../engine/sql/json-text-sql.js';

/** Names of the two fields with the model and id of the site, network or other object at which a circuit ends. */
export const terminationPlaceFields = { type: 'termination_type', id: 'termination_id' };

/** Names of the fields of a circuit termination that are shown within the circuit. */
export const nestedTerminationShape = [
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

/** Returns the SQL condition that one termination of a circuit meets a condition. */
export function anyTerminationMeetsCondition(alias: string, condition: (end: string) => SqlText): SqlText {
  return `${alias}.id IN (SELECT e.circuit_id FROM circuits_circuittermination e WHERE ${condition('e')})`;
}
