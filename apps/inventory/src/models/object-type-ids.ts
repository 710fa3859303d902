import type { FilterSource } from '../engine/filter/filter.js';
import { objectTypeIdFilter, type TypeIdOptions } from '../engine/filter/object-type-filter.js';

/** Rows that refer to one of the models with these numbers; see {@link objectTypeIdFilter}. */
export function byTypeId(name: string, options: TypeIdOptions = {}): FilterSource {
  return objectTypeIdFilter(name, 'core.objecttype', options);
}
