import type { Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem } from './filter.js';

/** A UUID, with or without its hyphens. */
function readUuid(value: string): string {
  if (!/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(value.trim())) {
    throw new FilterProblem('Enter a valid UUID.');
  }
  return value.trim();
}

/** Filter for rows that meet a condition on one UUID, without lookups. The last value counts. */
export function uuidFilter(name: string, condition: (alias: string, uuid: Sql) => Sql): Filter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: { type: 'string', format: 'uuid' },
    compile: ({ alias, values, parameters }) => condition(alias, parameters.add(readUuid(values.at(-1) ?? ''), 'uuid')),
  };
}
