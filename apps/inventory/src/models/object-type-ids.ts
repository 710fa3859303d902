import type { ModelFilterFactory } from '../engine/filter/filter-problem.js';
import { integerFilter } from '../engine/filter/number-filter.js';
import { objectTypeIdFilter, type ObjectTypeIdFilterOptions } from '../engine/filter/object-type-filter.js';

/**
 * Returns a filter for rows that refer to models, which the filter values name by numeric id; see
 * {@link objectTypeIdFilter}.
 */
export function createModelIdFilter(name: string, options: ObjectTypeIdFilterOptions = {}): ModelFilterFactory {
  return objectTypeIdFilter(name, 'core.objecttype', options);
}

/**
 * Filter by the numeric id of the model in the column `object_type`. The filter has the lookups of numbers, such as
 * greater than.
 */
export const objectTypeNumberFilter: ModelFilterFactory = (_model, registry) => {
  const types = registry.find('core.objecttype');
  if (types === null) return [];
  return [
    integerFilter(
      'object_type_id',
      (alias) =>
        `(SELECT known.id FROM ${types.table} known WHERE known.app_label || '.' || known.model = ${alias}.object_type)`,
    ),
  ];
};
