import { findPatternProblem, findSearchTextProblem } from '../check-regular-expression.js';
import type { RequestLimits } from '../request-limits.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { createInvalidInputProblem, UnknownAttributeError } from './invalid-input-problem.js';
import { type ComparisonType, getComparisonType } from './lookup-value-types.js';

/** An SQL expression with its type, and the value with which a condition compares the expression. */
export interface LookupComparison {
  readonly own: SqlText;
  /** SQL type of the compared expression `own`. */
  readonly type: string;
  readonly value: unknown;
  readonly parameters: SqlParameters;
  readonly limits: RequestLimits;
}

/** Function that builds the SQL condition of one lookup. Returns undefined if no row can meet the condition. */
type LookupOperator = (comparison: LookupComparison, compared: ComparisonType) => SqlText | undefined;

const createBinaryOperator =
  (operator: string): LookupOperator =>
  ({ own, value, parameters }, { type, cast, read }) => {
    const given = read(value);
    return given === undefined
      ? undefined
      : `${own}${cast ? `::${type}` : ''} ${operator} ${parameters.add(given, type)}`;
  };

const createLikeOperator =
  (operator: 'LIKE' | 'ILIKE', before: string, after: string): LookupOperator =>
  ({ own, value, parameters, limits }) => {
    const given = getComparisonType('text').read(value);
    if (typeof given !== 'string') return undefined;
    const problem = findSearchTextProblem(given, limits);
    if (problem !== null) throw createInvalidInputProblem(problem);
    const escaped = given.replace(/[\\%_]/g, String.raw`\$&`);
    return `${own}::text ${operator} ${parameters.add(`${before}${escaped}${after}`, 'text')}`;
  };

const createRegularExpressionOperator =
  (operator: '~' | '~*'): LookupOperator =>
  ({ own, value, parameters, limits }) => {
    const given = getComparisonType('text').read(value);
    if (typeof given !== 'string') return undefined;
    const problem = findPatternProblem(given, limits);
    if (problem !== null) throw createInvalidInputProblem(problem);
    return isRegularExpression(given) ? `${own}::text ${operator} ${parameters.add(given, 'text')}` : undefined;
  };

const parseValueList = (
  values: readonly unknown[],
  { read }: ComparisonType,
  { filterValues }: RequestLimits,
): unknown[] | undefined => {
  if (values.length > filterValues)
    throw createInvalidInputProblem(`Give at most ${filterValues} values (there are ${values.length}).`);
  const given = values.map(read);
  return given.includes(undefined) ? undefined : given;
};

const createNetworkOperator =
  (operator: string): LookupOperator =>
  ({ own, value, parameters }) => {
    const given = getComparisonType('inet').read(value);
    return given === undefined ? undefined : `${own}::inet ${operator} ${parameters.add(given, 'inet')}`;
  };

const createNetworkPartOperator =
  (name: 'masklen' | 'family'): LookupOperator =>
  ({ own, value, parameters }) => {
    const given = getComparisonType('bigint').read(value);
    return given === undefined ? undefined : `${name}(${own}::inet) = ${parameters.add(given, 'bigint')}`;
  };

/**
 * Functions that build SQL conditions for lookups, by the lookup's suffix, such as `gte` (greater than or equal). The
 * lookups are those of the reference API's query language.
 */
const sqlOperatorByLookup: Readonly<Record<string, LookupOperator>> = {
  exact: createBinaryOperator('='),
  gt: createBinaryOperator('>'),
  gte: createBinaryOperator('>='),
  lt: createBinaryOperator('<'),
  lte: createBinaryOperator('<='),
  iexact: createLikeOperator('ILIKE', '', ''),
  contains: createLikeOperator('LIKE', '%', '%'),
  icontains: createLikeOperator('ILIKE', '%', '%'),
  startswith: createLikeOperator('LIKE', '', '%'),
  istartswith: createLikeOperator('ILIKE', '', '%'),
  endswith: createLikeOperator('LIKE', '%', ''),
  iendswith: createLikeOperator('ILIKE', '%', ''),
  regex: createRegularExpressionOperator('~'),
  iregex: createRegularExpressionOperator('~*'),
  in: ({ own, value, parameters, limits }, compared) => {
    const given = Array.isArray(value) ? parseValueList(value, compared, limits) : undefined;
    if (given === undefined) return undefined;
    return `${own}${compared.cast ? `::${compared.type}` : ''} = ANY (${parameters.add(given, `${compared.type}[]`)})`;
  },
  range: ({ own, value, parameters, limits }, compared) => {
    const given = Array.isArray(value) && value.length === 2 ? parseValueList(value, compared, limits) : undefined;
    if (given === undefined) return undefined;
    const [from, to] = given.map((bound) => parameters.add(bound, compared.type));
    return `${own}${compared.cast ? `::${compared.type}` : ''} BETWEEN ${from} AND ${to}`;
  },
  isnull: ({ own, value }) => {
    const flag = getComparisonType('boolean').read(value);
    return typeof flag === 'boolean' ? `${own} IS ${flag ? '' : 'NOT '}NULL` : undefined;
  },
  net_contained: createNetworkOperator('<<'),
  net_contained_or_equal: createNetworkOperator('<<='),
  net_contains: createNetworkOperator('>>'),
  net_contains_or_equals: createNetworkOperator('>>='),
  net_host_contained: createNetworkOperator('<<='),
  net_host: ({ own, value, parameters }) => {
    const given = getComparisonType('inet').read(value);
    return given === undefined ? undefined : `host(${own}::inet)::inet = ${parameters.add(given, 'inet')}`;
  },
  net_mask_length: createNetworkPartOperator('masklen'),
  family: createNetworkPartOperator('family'),
};

/** SQL operators for the lookups on columns that contain lists, by the lookup's suffix. */
const listOperatorByLookup: Readonly<Record<string, string>> = {
  exact: '=',
  contains: '@>',
  contained_by: '<@',
  overlap: '&&',
};

/** Returns true if the last name of an attribute path is the name of a lookup, such as `in`. */
export function isLookupName(name: string): boolean {
  return Object.hasOwn(sqlOperatorByLookup, name);
}

/** Returns true if a lookup matches a regular expression. */
export function isRegularExpressionLookup(lookup: string): boolean {
  return lookup === 'regex' || lookup === 'iregex';
}

/**
 * Returns the SQL condition of one comparison; undefined if no row can match.
 *
 * @throws InputProblem if there is no such lookup, or the value exceeds a limit
 */
export function compareByLookup(lookup: string, comparison: LookupComparison): SqlText | undefined {
  const { type, value, own } = comparison;
  if (value === null && (lookup === 'exact' || lookup === 'iexact')) return `${own} IS NULL`;
  if (type.endsWith('[]')) return compareListColumn(lookup, comparison);
  const operator = sqlOperatorByLookup[lookup];
  if (operator === undefined) throw new UnknownAttributeError([`Unsupported lookup '${lookup}'.`]);
  return operator(comparison, getComparisonType(type));
}

function compareListColumn(
  lookup: string,
  { own, type, value, parameters, limits }: LookupComparison,
): SqlText | undefined {
  const operator = listOperatorByLookup[lookup];
  if (operator === undefined) throw new UnknownAttributeError([`Unsupported lookup '${lookup}'.`]);
  const given = parseValueList(Array.isArray(value) ? value : [value], getComparisonType(type.slice(0, -2)), limits);
  return given === undefined ? undefined : `${own} ${operator} ${parameters.add(given, type)}`;
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
