import type { SqlText } from '../sql/json-text-sql.js';
import { negateSqlCondition, type ListFilter, parseBooleanFilterValue } from './filter-problem.js';

/**
 * Returns a filter for rows by an SQL condition. The filter value true matches rows that meet the condition, and false
 * matches all other rows. Other filter values are ignored (docs/contract/inventory.md 1.9).
 */
export function booleanFilter(name: string, condition: (alias: string) => SqlText): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: { type: 'boolean' },
    compile: ({ values, alias }) => {
      const flag = parseBooleanFilterValue(values.at(-1) ?? '');
      if (flag === null) return null;
      return flag ? condition(alias) : negateSqlCondition(condition(alias));
    },
  };
}
