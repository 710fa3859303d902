import { except, type FilterSource } from '../../engine/filter/filter.js';
import { objectFilterWhere } from '../../engine/filter/relation-filter.js';
import { literal, type Sql } from '../../engine/sql/pieces.js';

/** The columns that say where an end is. */
export const terminationPlace = { type: 'termination_type', id: 'termination_id' };

/** What a circuit shows of its ends. */
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

/** Ends at an object of a type, whose id meets the condition. */
export function endsAt(end: string, type: string, condition: Sql): Sql {
  return `(${end}.termination_type = ${literal(type)} AND ${end}.termination_id ${condition})`;
}

/** Circuits of which one end is at one of the objects themselves. */
export function endFilter(name: string, type: string): FilterSource {
  return (_model, registry) => {
    const target = registry.find(type);
    if (target === null) return [];
    const matches = (alias: string, condition: Sql): Sql => byEnd(alias, (end) => endsAt(end, type, condition));
    return [
      objectFilterWhere(name, {
        target,
        by: 'id',
        below: false,
        matches: (alias, ids) => matches(alias, `= ANY (${ids})`),
        isNull: (alias) => except(matches(alias, 'IS NOT NULL')),
      }),
    ];
  };
}
