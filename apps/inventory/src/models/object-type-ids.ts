import type { FilterSource } from '../engine/filter/filter.js';
import { integerFilter } from '../engine/filter/number-filter.js';
import { objectTypeIdFilter, type TypeIdOptions } from '../engine/filter/object-type-filter.js';

/** Rows that refer to one of the models with these numbers; see {@link objectTypeIdFilter}. */
export function byTypeId(name: string, options: TypeIdOptions = {}): FilterSource {
  return objectTypeIdFilter(name, 'core.objecttype', options);
}

/** As {@link byTypeId}, with the lookups of numbers: the number of the model that `object_type` names is compared. */
export const byTypeNumber: FilterSource = (_model, registry) => {
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
