import type { SearchTerm } from '../declaration/model.js';
import type { Filter } from './filter.js';
import { escapePattern } from './string-filter.js';

/** `q`: rows in which any of the terms matches. */
export function searchFilter(terms: readonly SearchTerm[]): Filter {
  return {
    name: 'q',
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters }) => {
      const wanted = (values.at(-1) ?? '').trim();
      if (wanted === '') return null;
      if (wanted.includes('\0')) return 'false';
      const pattern = parameters.add(escapePattern(wanted), 'text');
      const each = terms.map(({ sql, lookup }) => {
        const own = `(${sql(alias)})::text`;
        if (lookup === 'exact') return `${own} = ${parameters.add(wanted, 'text')}`;
        return `${own} ILIKE concat(${lookup === 'icontains' ? "'%', " : ''}${pattern}, '%')`;
      });
      return `coalesce(${each.join(' OR ')}, false)`;
    },
  };
}
