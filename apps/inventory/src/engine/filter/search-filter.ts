import type { SearchTerm } from '../declaration/model.js';
import { parseIp } from '../kinds/ip-network.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';
import { searchTextProblem } from '../pattern.js';
import { type Filter, FilterProblem } from './filter.js';
import { escapePattern } from './string-filter.js';

/** Networks that hold the one given; none when the text is no network. */
function covers(own: Sql, wanted: string, parameters: Parameters): Sql {
  return parseIp(wanted) === null ? 'false' : `${own} >>= network(${parameters.add(wanted, 'inet')})`;
}

/** `q`: rows in which any of the terms matches. */
export function searchFilter(terms: readonly SearchTerm[]): Filter {
  return {
    name: 'q',
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters, services, needsOwnPlan }) => {
      const wanted = (values.at(-1) ?? '').trim();
      if (wanted === '') return null;
      if (wanted.includes('\0')) return 'false';
      const problem = searchTextProblem(wanted, services.limits);
      if (problem !== null) throw new FilterProblem(problem);
      needsOwnPlan();
      const pattern = parameters.add(escapePattern(wanted), 'text');
      const host = parseIp(wanted)?.address;
      const each = terms.map((term) => {
        if (term.lookup === 'host') {
          return host === undefined ? 'false' : term.holds(alias, parameters.add(host, 'inet'));
        }
        if (term.lookup === 'related') return term.refersTo(alias, `concat('%', ${pattern}, '%')`);
        const { sql, lookup } = term;
        if (lookup === 'covers') return covers(sql(alias), wanted, parameters);
        const own = `(${sql(alias)})::text`;
        if (lookup === 'exact') return `${own} = ${parameters.add(wanted, 'text')}`;
        return `${own} ILIKE concat(${lookup === 'icontains' ? "'%', " : ''}${pattern}, '%')`;
      });
      return `(${each.join(' OR ')})`;
    },
  };
}
