import type { ModelDefinition } from '../declaration/define-model.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { ListFilter } from './filter-problem.js';
import { createFilterTargetIdsSql } from './relation-filter.js';

/**
 * Returns a filter for rows that are related to one object. The request fails if the object does not exist. The filter
 * has no lookups. If the request has several filter values, only the last value is used.
 */
export function singleObjectFilter(
  name: string,
  target: Pick<ModelDefinition, 'table'>,
  by: string,
  matches: (alias: string, ids: SqlText) => SqlText,
): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => matches(request.alias, createFilterTargetIdsSql(request, target, by, false)),
  };
}
