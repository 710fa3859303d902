import type { ModelDefinition } from '../declaration/define-model.js';
import type { Sql } from '../sql/json-text-sql.js';
import type { Filter } from './filter-problem.js';
import { targetIdsSql } from './relation-filter.js';

/**
 * Returns a filter for rows related to one object, which must exist. The filter has no lookups. If there are several
 * values, the last one counts.
 */
export function singleObjectFilter(
  name: string,
  target: Pick<ModelDefinition, 'table'>,
  by: string,
  matches: (alias: string, ids: Sql) => Sql,
): Filter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: by === 'id' ? { type: 'integer' } : { type: 'string' },
    compile: (request) => matches(request.alias, targetIdsSql(request, target, by, false)),
  };
}
