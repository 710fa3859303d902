import type { ModelDefinition } from '../declaration/model.js';
import { literal, type Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem, type FilterRequest, notAChoice } from './filter.js';

/** `tag` by slug and `tag_id` by id: all of the values; `__any` any of them, `__n` none (contract 1.9). */
export function tagFilters(tag: ModelDefinition, assignments: string): readonly Filter[] {
  return [tagFilter('tag', 'slug', tag, assignments), tagFilter('tag_id', 'id', tag, assignments)];
}

function tagFilter(name: string, by: 'slug' | 'id', tag: ModelDefinition, assignments: string): Filter {
  return {
    name,
    lookups: ['n', 'any'],
    multiple: true,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => compileTags(request, tag, assignments, by),
  };
}

function compileTags(request: FilterRequest, tag: ModelDefinition, assignments: string, by: 'slug' | 'id'): Sql {
  const type = by === 'id' ? 'bigint' : 'text';
  const values = [...new Set(request.values)];
  for (const value of values) {
    if (by === 'id' && !/^\d{1,18}$/.test(value)) throw new FilterProblem(`“${value}” is not a valid value.`);
    const parameter = request.parameters.add(value, type);
    request.mustExist(`EXISTS (SELECT FROM ${tag.table} WHERE "${by}" = ${parameter})`, notAChoice(value));
  }
  const wanted = request.parameters.add(values, `${type}[]`);
  const matching = `SELECT count(*) FROM ${assignments} l JOIN ${tag.table} g ON g.id = l.tag_id
    WHERE l.object_type = ${literal(request.modelType)} AND l.object_id = ${request.alias}.id AND g."${by}" = ANY (${wanted})`;
  if (request.lookup === 'any') return `(${matching}) > 0`;
  return request.lookup === 'n' ? `(${matching}) = 0` : `(${matching}) = ${values.length}`;
}
