import type { SqlText } from '../sql/json-text-sql.js';
import { type ListFilter, InvalidFilterValueError } from './filter-problem.js';

/** Validates a filter value as a UUID, with or without hyphens, and returns the UUID. */
function parseUuid(value: string): string {
  if (!/^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(value.trim())) {
    throw new InvalidFilterValueError('Enter a valid UUID.');
  }
  return value.trim();
}

/**
 * Returns a filter for rows that meet an SQL condition on a UUID. The filter has no lookups. If the request has several
 * filter values, only the last value is used.
 */
export function uuidFilter(name: string, condition: (alias: string, uuid: SqlText) => SqlText): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: { type: 'string', format: 'uuid' },
    compile: ({ alias, values, parameters }) =>
      condition(alias, parameters.add(parseUuid(values.at(-1) ?? ''), 'uuid')),
  };
}
