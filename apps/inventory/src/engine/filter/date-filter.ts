import type { SqlText } from '../sql/json-text-sql.js';
import { type ListFilter, InvalidFilterValueError } from './filter-problem.js';
import { orderedValueFilter } from './number-filter.js';

/** Returns true for a valid calendar date `YYYY-MM-DD`. */
export function isCalendarDayFilterValue(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !text.startsWith('0000') &&
    !Number.isNaN(midnight) &&
    new Date(midnight).toISOString().startsWith(text)
  );
}

/** Returns a filter that compares an SQL expression with calendar dates. */
export function dateFilter(name: string, expression: (alias: string) => SqlText): ListFilter {
  return orderedValueFilter(name, expression, {
    type: 'date',
    schema: { type: 'string', format: 'date' },
    read: (value) => {
      if (!isCalendarDayFilterValue(value.trim())) throw new InvalidFilterValueError('Enter a valid date.');
      return value.trim();
    },
  });
}
