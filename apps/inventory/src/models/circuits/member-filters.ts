import type { Filter } from '../../engine/filter/filter.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { stringFilter } from '../../engine/filter/string-filter.js';
import type { Sql } from '../../engine/sql/pieces.js';

/** What is asked of the member of a group, by its kind: an expression on `c`, or on `v` with its network `n`. */
interface MemberExpressions {
  readonly circuit?: Sql;
  readonly virtualCircuit?: Sql;
}

/** An expression of the circuit or virtual circuit that is in a group; null for a member of the other kind. */
export function memberColumn(alias: string, { circuit, virtualCircuit }: MemberExpressions): Sql {
  const kinds = [
    circuit === undefined
      ? ''
      : `WHEN 'circuits.circuit' THEN (SELECT ${circuit} FROM circuits_circuit c WHERE c.id = ${alias}.member_id)`,
    virtualCircuit === undefined
      ? ''
      : `WHEN 'circuits.virtualcircuit' THEN (SELECT ${virtualCircuit} FROM circuits_virtualcircuit v
          JOIN circuits_providernetwork n ON n.id = v.provider_network_id WHERE v.id = ${alias}.member_id)`,
  ];
  return `CASE ${alias}.member_type ${kinds.join(' ')} END`;
}

const slugOf = (id: Sql): Sql => `(SELECT p.slug FROM circuits_provider p WHERE p.id = ${id})`;

const textOf = (name: string, expressions: MemberExpressions): Filter => ({
  ...stringFilter(name, (alias) => memberColumn(alias, expressions)),
  lookups: [],
});
const idOf = (name: string, expressions: MemberExpressions): Filter => ({
  ...integerFilter(name, (alias) => memberColumn(alias, expressions)),
  lookups: [],
});

/** Members of groups by circuit, virtual circuit and provider; what names nothing finds nothing (contract 9.4). */
export const memberFilters: readonly Filter[] = [
  textOf('circuit', { circuit: 'c.cid' }),
  idOf('circuit_id', { circuit: 'c.id' }),
  textOf('virtual_circuit', { virtualCircuit: 'v.cid' }),
  idOf('virtual_circuit_id', { virtualCircuit: 'v.id' }),
  textOf('provider', { circuit: slugOf('c.provider_id'), virtualCircuit: slugOf('n.provider_id') }),
  idOf('provider_id', { circuit: 'c.provider_id', virtualCircuit: 'n.provider_id' }),
];
