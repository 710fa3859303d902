import type { TemplateFilter, VariadicFilter } from '../run/filter-runtime.js';
import { listFilters } from './list-filters.js';
import { formatFilter, joinFilter, textFilters } from './text-filters.js';
import { timeFilters } from './time-filters.js';
import { valueFilters } from './value-filters.js';

/**
 * Template filters by name: the filters of Jinja and filters for times. The type is a Map, so that the lookup of a name
 * never returns an inherited property of an object.
 */
export const templateFilters: ReadonlyMap<string, TemplateFilter | VariadicFilter> = new Map<
  string,
  TemplateFilter | VariadicFilter
>([...textFilters, ...valueFilters, ...timeFilters, ...listFilters, ['format', formatFilter], ['join', joinFilter]]);
