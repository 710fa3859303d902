import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { findRegularExpressionProblem, findSearchTextProblem } from '../check-regular-expression.js';
import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  type FilterLookupSuffix,
  parseBooleanFilterValue,
} from './filter-problem.js';

/** Lookups (comparison suffixes) that filters by text accept, such as `ic` (contains, ignoring case). */
export const textLookups = [
  'n',
  'ic',
  'nic',
  'iew',
  'niew',
  'isw',
  'nisw',
  'ie',
  'nie',
  'empty',
  'regex',
  'iregex',
] as const;

/**
 * Returns a filter that compares a text of each row with the filter values, by equality and text lookups. A row matches
 * if its text matches at least one filter value.
 */
export function stringFilter(
  name: string,
  expression: (alias: string) => SqlText = createColumnSqlFunction(name),
): ListFilter {
  return {
    name,
    lookups: textLookups,
    multiple: true,
    schema: { type: 'string' },
    compile: (request) => createTextCondition(expression(request.alias), request),
  };
}

/**
 * Returns a filter for rows whose text contains at least one of the filter values, ignoring case. The filter has no
 * lookups.
 */
export function textContainsFilter(name: string): ListFilter {
  const text = stringFilter(name);
  return { ...text, lookups: [], compile: (request) => text.compile({ ...request, lookup: 'ic' }) };
}

/** Returns a copy of a filter without the given lookups. */
export function excludeLookups(filter: ListFilter, ...removed: readonly FilterLookupSuffix[]): ListFilter {
  return { ...filter, lookups: filter.lookups.filter((lookup) => !removed.includes(lookup)) };
}

function createColumnSqlFunction(name: string): (alias: string) => SqlText {
  return (alias) => `${alias}."${name}"`;
}

/** SQL comparison of a text with a filter value. A negated lookup uses the negation of the comparison. */
interface TextComparison {
  readonly operator: SqlText;
  /**
   * Converts the filter value to the text that SQL compares, such as a LIKE pattern. Without this function, SQL
   * compares the filter value itself.
   */
  readonly made?: (value: string) => string;
  /** True to convert both the compared text and the filter value to lower case. */
  readonly lower?: boolean;
  /** Function that returns the error for an invalid filter value, or null for a valid value. */
  readonly problem?: typeof findRegularExpressionProblem;
}

const textComparisonByLookup: Partial<Record<FilterLookupSuffix, TextComparison>> = {
  ic: { operator: 'ILIKE', made: (value) => `%${escapeLikePattern(value)}%`, problem: findSearchTextProblem },
  isw: { operator: 'ILIKE', made: (value) => `${escapeLikePattern(value)}%`, problem: findSearchTextProblem },
  iew: { operator: 'ILIKE', made: (value) => `%${escapeLikePattern(value)}`, problem: findSearchTextProblem },
  ie: { operator: '=', lower: true },
  regex: { operator: '~', problem: findRegularExpressionProblem },
  iregex: { operator: '~*', problem: findRegularExpressionProblem },
};

const positiveTextLookupByNegated: Partial<Record<FilterLookupSuffix, FilterLookupSuffix>> = {
  nic: 'ic',
  nisw: 'isw',
  niew: 'iew',
  nie: 'ie',
};

/**
 * Returns the SQL condition that a text expression matches the values of a filter. Returns null if the filter values
 * are to be ignored.
 */
export function createTextCondition(own: SqlText, request: RequestedFilterValues): SqlText | null {
  const { values, lookup, parameters } = request;
  if (lookup === 'empty') {
    const flag = parseBooleanFilterValue(values.at(-1) ?? '');
    if (flag === null) return null;
    return flag ? `coalesce(${own}, '') = ''` : `coalesce(${own}, '') <> ''`;
  }
  const clean = values.filter((value) => !value.includes('\0'));
  if (lookup === null || lookup === 'n') {
    const any = `${own} = ANY (${parameters.add(clean, 'text[]')})`;
    return lookup === null ? any : negateSqlCondition(any);
  }
  const positive = positiveTextLookupByNegated[lookup] ?? lookup;
  const compare = textComparisonByLookup[positive];
  if (compare === undefined) return null;
  for (const value of clean) {
    const problem = compare.problem?.(value, request.services.limits) ?? null;
    if (problem !== null) throw new InvalidFilterValueError(problem);
  }
  if (compare.problem === findRegularExpressionProblem) request.runsPattern();
  if (compare.operator === 'ILIKE') request.needsOwnPlan();
  const any = clean.length === 0 ? 'false' : createTextComparisonSql(own, compare, clean, parameters);
  return positive === lookup ? any : negateSqlCondition(any);
}

function createTextComparisonSql(
  own: SqlText,
  { operator, made = (value) => value, lower = false }: TextComparison,
  values: readonly string[],
  parameters: SqlParameters,
): SqlText {
  const compared = values.map(made);
  const [only] = compared;
  const left = lower ? `lower(${own}::text)` : `${own}::text`;
  if (compared.length === 1) {
    const one = parameters.add(only, 'text');
    return `${left} ${operator} ${lower ? `lower(${one})` : one}`;
  }
  const all = parameters.add(compared, 'text[]');
  return `${left} ${operator} ANY (${lower ? `ARRAY(SELECT lower(value) FROM unnest(${all}) value)` : all})`;
}

/** Escapes the special characters of a text for use in an SQL LIKE pattern. */
export function escapeLikePattern(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}
