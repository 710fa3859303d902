import type { TemplateFilter, VariadicFilter } from '../run/filter-runtime.js';
import { listFilters } from './list-filters.js';
import { formatFilter, joinFilter, textFilters } from './text-filters.js';
import { timeFilters } from './time-filters.js';
import { valueFilters } from './value-filters.js';

/**
 * Filters of templates by name: those of Jinja and those for times. It is a Map, so that no name finds an inherited
 * property.
 */
export const templateFilters: ReadonlyMap<string, TemplateFilter | VariadicFilter> = new Map<
  string,
  TemplateFilter | VariadicFilter
>([...textFilters, ...valueFilters, ...timeFilters, ...listFilters, ['format', formatFilter], ['join', joinFilter]]);
