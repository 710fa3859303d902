import { quoteSqlLiteral } from '../sql/json-text-sql.js';
import type { ModelFilterFactory } from './filter-problem.js';
import { uuidFilter } from './uuid-filter.js';

/** Change actions, such as creations, that each filter matches in the change log, by the name of the filter. */
const changeActionByFilterName: Readonly<Record<string, readonly string[]>> = {
  created_by_request: ['create'],
  updated_by_request: ['update'],
  modified_by_request: ['create', 'update'],
};

/**
 * Returns filters for the objects that a request, given by its id, created or changed according to the change log.
 *
 * @param log model of the change log, as `<app>.<model>`; if it is not declared, there are no such filters
 */
export function changeRequestFilters(log: string): ModelFilterFactory {
  return (model, registry) => {
    const changes = registry.find(log);
    if (changes === null) return [];
    return Object.entries(changeActionByFilterName).map(([name, requested]) =>
      uuidFilter(
        name,
        (alias, request) => `${alias}.id IN (SELECT change.changed_object_id FROM ${changes.table} change
            WHERE change.request_id = ${request} AND change.changed_object_type = ${quoteSqlLiteral(model.type)}
              AND change.action IN (${requested.map(quoteSqlLiteral).join(', ')}))`,
      ),
    );
  };
}
