import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem, type FilterRequest, type FilterSource } from './filter.js';
import { type Path, resolvePath } from './path.js';

/**
 * Rows in a relation to any of the objects named by a text field or, where `by` is `id`, by number. Unlike other object
 * filters it does not ask whether they exist: values that name none find nothing (docs/contract/inventory.md 1.9). No
 * lookups.
 *
 * @param matches rows of which one of the ids, an array expression, is true
 */
export function looseFilter(
  name: string,
  target: Pick<ModelDefinition, 'table'>,
  by: string,
  matches: (alias: string, ids: Sql) => Sql,
): Filter {
  return {
    name,
    lookups: [],
    multiple: true,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => matches(request.alias, idsOf(request, target, by)),
  };
}

/** {@link looseFilter} for related objects at the end of one or several {@link Path}s. */
export function looseRelatedFilter(name: string, paths: readonly [Path, ...Path[]], by: string): FilterSource {
  return (model, registry) => {
    const ways = paths.flatMap((path) => resolvePath(model, registry, path) ?? []);
    const [first] = ways;
    if (first === undefined) return [];
    const matches = (alias: string, ids: Sql): Sql =>
      `(${ways.map((way) => way.reachId(alias, `= ANY (${ids})`)).join(' OR ')})`;
    return [looseFilter(name, first.target, by, matches)];
  };
}

function idsOf({ values, parameters }: FilterRequest, target: Pick<ModelDefinition, 'table'>, by: string): Sql {
  if (by !== 'id') {
    const wanted = values.filter((value) => !value.includes('\0'));
    return `ARRAY(SELECT named.id FROM ${target.table} named WHERE named."${by}" = ANY (${parameters.add(wanted, 'text[]')}))`;
  }
  const ids = values.map((value) => value.trim().replace(/\.0*$/, ''));
  if (!ids.every((id) => /^[+-]?\d+$/.test(id))) throw new FilterProblem('Enter a whole number.');
  // Numbers past what the database can hold are no ids.
  const possible = ids.filter((id) => id.length <= 18);
  return parameters.add(possible, 'bigint[]');
}
