import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem, type FilterRequest, notAChoice } from './filter.js';

/** `<name>_id` by id, and `<name>` by a field of the related object. `null` selects rows without one. */
export function relationFilters(name: string, target: ModelDefinition, by: string | null): readonly Filter[] {
  return related(name, target, by, false);
}

/** As {@link relationFilters}; a node stands for itself and everything below it. */
export function treeFilters(name: string, target: ModelDefinition, by: string | null): readonly Filter[] {
  return related(name, target, by, true);
}

function related(name: string, target: ModelDefinition, by: string | null, below: boolean): readonly Filter[] {
  const own = (alias: string): Sql => `${alias}."${name}_id"`;
  const byId = objectFilter(`${name}_id`, own, target, 'id', below);
  return by === null ? [byId] : [byId, objectFilter(name, own, target, by, below)];
}

/** What a filter needs to know of the model that values name. */
type Target = Pick<ModelDefinition, 'table'>;

/** Rows whose `own` expression is the id of one of the objects named. */
export function objectFilter(
  name: string,
  own: (alias: string) => Sql,
  target: Target,
  by: string,
  below: boolean,
): Filter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => {
      const wantsNull = request.values.includes('null');
      const ids = targetIds(request, target, by, below);
      const column = own(request.alias);
      const any = `(coalesce(${column} = ANY (${ids}), false)${wantsNull ? ` OR ${column} IS NULL` : ''})`;
      return request.lookup === 'n' ? `NOT ${any}` : any;
    },
  };
}

/** An array expression of the ids that the values stand for; each value must name an object. */
function targetIds(request: FilterRequest, target: Target, by: string, below: boolean): Sql {
  const wanted = request.values
    .filter((value) => value !== 'null')
    .map((value) => (by === 'id' ? readId(value) : value));
  for (const value of new Set(wanted)) {
    const parameter = request.parameters.add(value, by === 'id' ? 'bigint' : 'text');
    request.mustExist(`EXISTS (SELECT FROM ${target.table} WHERE "${by}" = ${parameter})`, notAChoice(value));
  }
  const all = request.parameters.add(wanted, by === 'id' ? 'bigint[]' : 'text[]');
  if (by === 'id' && !below) return all;
  if (!below) return `ARRAY(SELECT id FROM ${target.table} WHERE "${by}" = ANY (${all}))`;
  return `ARRAY(SELECT node.id FROM ${target.table} node WHERE node._path && ARRAY(SELECT id FROM ${target.table} WHERE "${by}" = ANY (${all})))`;
}

function readId(value: string): string {
  if (!/^\s*\d+\s*$/.test(value)) throw new FilterProblem(`“${value}” is not a valid value.`);
  if (value.trim().length > 18) throw new FilterProblem(notAChoice(value));
  return value.trim();
}
