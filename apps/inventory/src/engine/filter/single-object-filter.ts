import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';
import type { Filter } from './filter.js';
import { targetIds } from './relation-filter.js';

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
    compile: (request) => matches(request.alias, targetIds(request, target, by, false)),
  };
}
