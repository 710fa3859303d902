import type { Sql } from '../../engine/sql/pieces.js';

/** Fields with the type and id of the place that an end is at. */
export const terminationPlace = { type: 'termination_type', id: 'termination_id' };

/** Fields of a circuit's end that are shown with the circuit. */
export const endShape = [
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

/** Returns the condition that one end of a circuit meets a condition. */
export function byEnd(alias: string, condition: (end: string) => Sql): Sql {
  return `${alias}.id IN (SELECT e.circuit_id FROM circuits_circuittermination e WHERE ${condition('e')})`;
}
