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
  const tagIds = values.map((value) => {
    if (by === 'id' && !/^\d{1,18}$/.test(value)) throw new FilterProblem(`“${value}” is not a valid value.`);
    if (value.includes('\0')) throw new FilterProblem(notAChoice(value));
    const parameter = request.parameters.add(value, type);
    request.mustExist(`EXISTS (SELECT FROM ${tag.table} WHERE "${by}" = ${parameter})`, notAChoice(value));
    // A function of the table's name, which the planner asks for the tag's frequency (migration tag_by_slug).
    return by === 'id' ? parameter : `${tag.table}_id(${parameter})`;
  });
  // The objects of a tag come from the assignments' index; counting the tags of each row would read every row.
  const tagged = (condition: Sql): Sql => `${request.alias}.id IN (SELECT l.object_id FROM ${assignments} l
    WHERE l.object_type = ${literal(request.modelType)} AND l.tag_id ${condition})`;
  if (request.lookup === null) return tagIds.map((id) => tagged(`= ${id}`)).join(' AND ');
  const any = tagged(`= ANY (ARRAY[${tagIds.join(', ')}])`);
  return request.lookup === 'any' ? any : `NOT ${any}`;
}
