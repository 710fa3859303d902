import type { SqlText } from '../sql/json-text-sql.js';
import { type ListFilter, InvalidFilterValueError, parseBooleanFilterValue } from './filter-problem.js';
import { integerFilter } from './number-filter.js';

/**
 * Returns a filter by a column that is an array of integers. The equality filter matches arrays that contain at least
 * one filter value, and uses the GIN index. Other lookups match arrays in which at least one item meets the comparison.
 * The lookup `empty` matches empty arrays.
 */
export function integerListFilter(name: string, list: (alias: string) => SqlText): ListFilter {
  const one = integerFilter(name, () => 'item');
  return {
    ...one,
    multiple: false,
    compile: (request) => {
      const own = list(request.alias);
      const { lookup, values, parameters } = request;
      if (lookup === 'empty') {
        const flag = parseBooleanFilterValue(values.at(-1) ?? '');
        return flag === null ? null : `cardinality(${own}) ${flag ? '=' : '>'} 0`;
      }
      if (lookup !== null && lookup !== 'n') {
        return `EXISTS (SELECT FROM unnest(${own}) item WHERE ${one.compile(request) ?? 'true'})`;
      }
      const requested = values.map((value) => {
        if (!/^\s*\d{1,9}\s*$/.test(value)) throw new InvalidFilterValueError('Enter a number.');
        return value.trim();
      });
      const any = `${own} && ${parameters.add(requested, 'integer[]')}`;
      return lookup === null ? any : `NOT (${any})`;
    },
  };
}
