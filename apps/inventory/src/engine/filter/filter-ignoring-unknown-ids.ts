import type { ModelDefinition } from '../declaration/define-model.js';
import type { SqlText } from '../sql/json-text-sql.js';
import {
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  type ModelFilterFactory,
} from './filter-problem.js';
import { type ReferencePath, resolveReferencePath } from './resolve-reference-path.js';

/**
 * Returns a filter for rows that are related to given objects. Filter values name objects by a text field or, if `by`
 * is `id`, by id. Unlike other object filters, this filter does not reject a value that names no object. Such a value
 * matches nothing (docs/contract/inventory.md 1.9). The filter has no lookups.
 *
 * @param matches returns the SQL condition that a row is related to an object whose id is in a given SQL array
 */
export function filterIgnoringUnknownIds(
  name: string,
  target: Pick<ModelDefinition, 'table'>,
  by: string,
  matches: (alias: string, ids: SqlText) => SqlText,
): ListFilter {
  return {
    name,
    lookups: [],
    multiple: true,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => matches(request.alias, createReferencedObjectIdsSql(request, target, by)),
  };
}

/** Returns a {@link filterIgnoringUnknownIds} by related objects at the end of one of several {@link ReferencePath}s. */
export function relatedFilterIgnoringUnknownIds(
  name: string,
  paths: readonly [ReferencePath, ...ReferencePath[]],
  by: string,
): ModelFilterFactory {
  return (model, registry) => {
    const ways = paths.flatMap((path) => resolveReferencePath(model, registry, path) ?? []);
    const [first] = ways;
    if (first === undefined) return [];
    const matches = (alias: string, ids: SqlText): SqlText =>
      `(${ways.map((way) => way.reachId(alias, `= ANY (${ids})`)).join(' OR ')})`;
    return [filterIgnoringUnknownIds(name, first.target, by, matches)];
  };
}

function createReferencedObjectIdsSql(
  { values, parameters }: RequestedFilterValues,
  target: Pick<ModelDefinition, 'table'>,
  by: string,
): SqlText {
  if (by !== 'id') {
    const requested = values.filter((value) => !value.includes('\0'));
    return `ARRAY(SELECT named.id FROM ${target.table} named WHERE named."${by}" = ANY (${parameters.add(requested, 'text[]')}))`;
  }
  const ids = values.map((value) => value.trim().replace(/\.0*$/, ''));
  if (!ids.every((id) => /^[+-]?\d+$/.test(id))) throw new InvalidFilterValueError('Enter a whole number.');
  // Numbers beyond bigint are no ids.
  const possible = ids.filter((id) => id.length <= 18);
  return parameters.add(possible, 'bigint[]');
}
