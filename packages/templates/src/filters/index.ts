import type { Filter, OpenFilter } from '../run/runtime.js';
import { listFilters } from './list-filters.js';
import { format, join, textFilters } from './text-filters.js';
import { timeFilters } from './time-filters.js';
import { valueFilters } from './value-filters.js';

/**
 * Filters of templates by name: those of Jinja and those for times. It is a Map, so that no name finds an inherited
 * property.
 */
export const filters: ReadonlyMap<string, Filter | OpenFilter> = new Map<string, Filter | OpenFilter>([
  ...textFilters,
  ...valueFilters,
  ...timeFilters,
  ...listFilters,
  ['format', format],
  ['join', join],
]);
