import type { Sql } from '../../engine/sql/pieces.js';

/** The columns that say where an end is. */
export const terminationPlace = { type: 'termination_type', id: 'termination_id' };

/** Shape of the ends of a circuit. */
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

/** Circuits of which one end meets the condition. */
export function byEnd(alias: string, condition: (end: string) => Sql): Sql {
  return `${alias}.id IN (SELECT e.circuit_id FROM circuits_circuittermination e WHERE ${condition('e')})`;
}
