import type { Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem, readFlag } from './filter.js';
import { integerFilter } from './number-filter.js';

/**
 * Filter for a list of integers that contains the last value, or one that compares with it; `empty` matches empty
 * lists. The list is an array column, and equality uses its GIN index.
 */
export function listedNumberFilter(name: string, list: (alias: string) => Sql): Filter {
  const one = integerFilter(name, () => 'item');
  return {
    ...one,
    multiple: false,
    compile: (request) => {
      const own = list(request.alias);
      const { lookup, values, parameters } = request;
      if (lookup === 'empty') {
        const flag = readFlag(values.at(-1) ?? '');
        return flag === null ? null : `cardinality(${own}) ${flag ? '=' : '>'} 0`;
      }
      if (lookup !== null && lookup !== 'n') {
        return `EXISTS (SELECT FROM unnest(${own}) item WHERE ${one.compile(request) ?? 'true'})`;
      }
      const wanted = values.map((value) => {
        if (!/^\s*\d{1,9}\s*$/.test(value)) throw new FilterProblem('Enter a number.');
        return value.trim();
      });
      const any = `${own} && ${parameters.add(wanted, 'integer[]')}`;
      return lookup === null ? any : `NOT (${any})`;
    },
  };
}
