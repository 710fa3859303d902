import { parseHardwareAddress } from '../field-types/hardware-address.js';
import { negateSqlCondition, type ListFilter } from './filter-problem.js';
import { createTextCondition, textLookups } from './string-filter.js';

/**
 * Returns a filter that compares hardware addresses in any notation. Text lookups such as `ic` compare the text form of
 * the address, `aa:bb:…`. In an equality filter, a value that is not an address matches nothing.
 */
export function hardwareAddressFilter(name: string, type: 'macaddr' | 'macaddr8'): ListFilter {
  const bytes = type === 'macaddr' ? 6 : 8;
  return {
    name,
    lookups: textLookups.filter((lookup) => lookup !== 'empty'),
    multiple: true,
    schema: { type: 'string' },
    compile: (request) => {
      const { alias, values, lookup, parameters } = request;
      const own = `${alias}."${name}"`;
      if (lookup !== null && lookup !== 'n') return createTextCondition(`${own}::text`, request);
      const requested = values.flatMap((value) => parseHardwareAddress(value, bytes) ?? []);
      const any = `${own} = ANY (${parameters.add(requested, `${type}[]`)})`;
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}
