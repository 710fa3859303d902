import type { Filter, OpenFilter } from '../run/runtime.js';
import { listFilters } from './list-filters.js';
import { format, join, textFilters } from './text-filters.js';
import { timeFilters } from './time-filters.js';
import { valueFilters } from './value-filters.js';

/** Jinja's filters by name, and those for times. A map: no name reaches what an object inherits. */
export const filters: ReadonlyMap<string, Filter | OpenFilter> = new Map<string, Filter | OpenFilter>([
  ...textFilters,
  ...valueFilters,
  ...timeFilters,
  ...listFilters,
  ['format', format],
  ['join', join],
]);
