import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import { except, type Filter, FilterProblem, type FilterRequest, notAChoice } from './filter.js';

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

/** How rows lead to objects of another model. */
export interface Relation {
  readonly target: Target;
  /** Field of the other model that values are compared with; `id` for ids. */
  readonly by: string;
  /** Whether a node of a tree stands for everything below it as well. */
  readonly below: boolean;
  /** Rows that lead to one of the ids of an array expression. It must be able to use an index. */
  matches(alias: string, ids: Sql): Sql;
  /** Rows that lead to nothing. */
  isNull(alias: string): Sql;
}

/** Rows that lead to one of the objects named; `null` selects those that lead to none. */
export function objectFilterWhere(name: string, relation: Relation): Filter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: relation.by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => {
      const { target, by, below } = relation;
      const found = relation.matches(request.alias, targetIds(request, target, by, below));
      const any = request.values.includes('null') ? `(${found} OR ${relation.isNull(request.alias)})` : found;
      return request.lookup === 'n' ? except(any) : any;
    },
  };
}

/** Rows whose `own` expression is the id of one of the objects named. */
export function objectFilter(
  name: string,
  own: (alias: string) => Sql,
  target: Target,
  by: string,
  below: boolean,
): Filter {
  const matches = (alias: string, ids: Sql): Sql => `${own(alias)} = ANY (${ids})`;
  return objectFilterWhere(name, { target, by, below, matches, isNull: (alias) => `${own(alias)} IS NULL` });
}

/** An array expression of the ids that the values stand for; each value must name an object. */
export function targetIds(request: FilterRequest, target: Target, by: string, below: boolean): Sql {
  const wanted = request.values
    .filter((value) => value !== 'null')
    .map((value) => (by === 'id' ? readId(value) : value));
  for (const value of new Set(wanted)) {
    if (value.includes('\0')) throw new FilterProblem(notAChoice(value));
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
