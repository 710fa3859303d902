import type { ModelDefinition } from '../declaration/define-model.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import {
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  createInvalidChoiceMessage,
} from './filter-problem.js';

/**
 * Returns the filters `tag`, which compares slugs of tags, and `tag_id`, which compares ids of tags. Both filters match
 * objects that have all given tags. The lookup `__any` matches objects with at least one of the given tags, and `__n`
 * matches objects with none of them (docs/contract/inventory.md 1.9).
 */
export function tagFilters(tag: ModelDefinition, assignments: string): readonly ListFilter[] {
  return [tagFilter('tag', 'slug', tag, assignments), tagFilter('tag_id', 'id', tag, assignments)];
}

function tagFilter(name: string, by: 'slug' | 'id', tag: ModelDefinition, assignments: string): ListFilter {
  return {
    name,
    lookups: ['n', 'any'],
    multiple: true,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => compileTagFilter(request, tag, assignments, by),
  };
}

function compileTagFilter(
  request: RequestedFilterValues,
  tag: ModelDefinition,
  assignments: string,
  by: 'slug' | 'id',
): SqlText {
  const type = by === 'id' ? 'bigint' : 'text';
  const values = [...new Set(request.values.map((value) => parseTagFilterValue(value, by)))];
  const exists = (value: SqlText): SqlText => `EXISTS (SELECT FROM ${tag.table} WHERE "${by}" = ${value})`;
  request.mustExist(values, type, exists, createInvalidChoiceMessage);
  // Tagged objects are found by the index of the assignments. To count the tags of each row would read all rows.
  const tagged = (condition: SqlText): SqlText => `${request.alias}.id IN (SELECT l.object_id FROM ${assignments} l
    WHERE l.object_type = ${quoteSqlLiteral(request.modelType)} AND l.tag_id ${condition})`;
  if (values.length === 1) {
    const [value] = values;
    const given = request.parameters.add(value, type);
    // The planner calls this function while planning and then knows how frequent the tag is (migration tag_by_slug).
    const one = tagged(`= ${by === 'id' ? given : `${tag.table}_id(${given})`}`);
    return request.lookup === 'n' ? `NOT ${one}` : one;
  }
  const given = request.parameters.add(values, `${type}[]`);
  const ids = by === 'id' ? given : `ARRAY(SELECT id FROM ${tag.table} WHERE slug = ANY (${given}))`;
  // All of these tags exist, and an object has each tag at most once. So an object with this many of them has all.
  if (request.lookup === null) return tagged(`= ANY (${ids}) GROUP BY l.object_id HAVING count(*) = ${values.length}`);
  const any = tagged(`= ANY (${ids})`);
  return request.lookup === 'any' ? any : `NOT ${any}`;
}

function parseTagFilterValue(value: string, by: 'slug' | 'id'): string {
  if (by === 'id' && !/^\d{1,18}$/.test(value)) throw new InvalidFilterValueError(`“${value}” is not a valid value.`);
  if (value.includes('\0')) throw new InvalidFilterValueError(createInvalidChoiceMessage(value));
  return by === 'id' ? BigInt(value).toString() : value;
}
