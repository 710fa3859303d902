import type { ModelDefinition } from '../declaration/define-model.js';
import { parseIpNetwork } from '../field-types/ip-network.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { findSearchTextProblem } from '../check-regular-expression.js';
import { type ListFilter, InvalidFilterValueError } from './filter-problem.js';
import { escapeLikePattern } from './string-filter.js';

/**
 * Returns the SQL condition that the IP network of a row contains the IP network in the search text. The condition is
 * `false` if the search text is not a network.
 */
function createContainsNetworkCondition(own: SqlText, search: string, parameters: SqlParameters): SqlText {
  return parseIpNetwork(search) === null ? 'false' : `${own} >>= network(${parameters.add(search, 'inet')})`;
}

/** SQL alias of the model's rows in the subquery that finds the ids of rows that match a search. */
const searchedRowAlias = 'found';

/**
 * Returns the SQL condition that a number column equals the search text. PostgreSQL can use the index of the column for
 * the condition.
 */
function createEqualsNumberCondition(own: SqlText, search: string, parameters: SqlParameters): SqlText {
  return /^(?:0|-?[1-9]\d{0,17})$/.test(search) ? `${own} = ${parameters.add(search, 'bigint')}` : 'false';
}

/**
 * Returns the search filter `q`. A row matches if at least one of the model's search terms finds the search text in it.
 * Each kind of related text is searched by a separate query for ids. Another query finds rows whose own texts match.
 * UNION ALL combines all queries, so that each query can use its own indexes. (An OR of conditions on several tables
 * can use no index.)
 */
export function searchFilter({ search: terms, table }: Pick<ModelDefinition, 'search' | 'table'>): ListFilter {
  return {
    name: 'q',
    lookups: [],
    multiple: false,
    isHeavy: true,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters, services, needsOwnPlan }) => {
      const search = (values.at(-1) ?? '').trim();
      if (search === '') return null;
      if (search.includes('\0')) return 'false';
      const problem = findSearchTextProblem(search, services.limits);
      if (problem !== null) throw new InvalidFilterValueError(problem);
      needsOwnPlan();
      const pattern = parameters.add(escapeLikePattern(search), 'text');
      const host = parseIpNetwork(search)?.address;
      const anywhere = `concat('%', ${pattern}, '%')`;
      const queries = terms.flatMap((term) => (term.lookup === 'ids' ? [term.ids(anywhere)] : []));
      const own = queries.length === 0 ? alias : searchedRowAlias;
      const conditions = terms.flatMap((term) => {
        if (term.lookup === 'ids') return [];
        if (term.lookup === 'host') {
          return host === undefined ? ['false'] : [term.holds(own, parameters.add(host, 'inet'))];
        }
        if (term.lookup === 'related') return [term.refersTo(own, anywhere)];
        const { sql, lookup } = term;
        if (lookup === 'covers') return [createContainsNetworkCondition(sql(own), search, parameters)];
        if (lookup === 'number') return [createEqualsNumberCondition(sql(own), search, parameters)];
        const text = `(${sql(own)})::text`;
        if (lookup === 'exact') return [`${text} = ${parameters.add(search, 'text')}`];
        return [`${text} ILIKE ${lookup === 'icontains' ? anywhere : `concat(${pattern}, '%')`}`];
      });
      const condition = `(${conditions.join(' OR ')})`;
      if (queries.length === 0) return condition;
      const rows = `SELECT ${own}.id FROM ${table} ${own} WHERE ${condition}`;
      return `${alias}.id = ANY (ARRAY(${[...(conditions.length === 0 ? [] : [rows]), ...queries].join(' UNION ALL ')}))`;
    },
  };
}
