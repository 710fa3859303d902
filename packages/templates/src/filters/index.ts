import type { TemplateFilter, VariadicTemplateFilter } from '../run/filter-runtime.js';
import { templateListFilters } from './list-filters.js';
import { textFormatFilter, textJoinFilter, templateTextFilters } from './text-filters.js';
import { templateTimeFilters } from './time-filters.js';
import { templateValueFilters } from './value-filters.js';

/**
 * Template filters by name: the filters of Jinja and filters for times. The type is a Map, so that the lookup of a name
 * never returns an inherited property of an object.
 */
export const templateFilters: ReadonlyMap<string, TemplateFilter | VariadicTemplateFilter> = new Map<
  string,
  TemplateFilter | VariadicTemplateFilter
>([
  ...templateTextFilters,
  ...templateValueFilters,
  ...templateTimeFilters,
  ...templateListFilters,
  ['format', textFormatFilter],
  ['join', textJoinFilter],
]);
