import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  parseBooleanFilterValue,
} from './filter-problem.js';
import { textLookups } from './string-filter.js';

/**
 * Returns a filter by an encrypted text. Only equality and `empty` are supported. Other lookups are rejected, because
 * they would need the decrypted text.
 *
 * @param digest column of the text's digest; '' for an empty string
 */
export function encryptedTextFilter(name: string, digest: string, purpose: string): ListFilter {
  return {
    name,
    lookups: textLookups,
    multiple: true,
    schema: { type: 'string' },
    compile: ({ alias, values, lookup, parameters, services }) => {
      const own = `${alias}."${name}"`;
      if (lookup === 'empty') {
        const flag = parseBooleanFilterValue(values.at(-1) ?? '');
        return flag === null ? null : `${own} ${flag ? '=' : '<>'} ''`;
      }
      if (lookup !== null && lookup !== 'n') {
        throw new InvalidFilterValueError('This value is stored sealed: it can be found by being equal or empty only.');
      }
      const requested = values.flatMap((value) => services.fingerprints(value, purpose));
      const any = `${alias}."${digest}" = ANY (${parameters.add(requested, 'text[]')})`;
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}
