import { findRegularExpressionProblem, findSearchTextProblem } from '../check-regular-expression.js';
import type { RequestLimits } from '../request-limits.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { createInvalidInputProblem, UnknownAttributeError } from './invalid-input-problem.js';
import { type SqlComparisonType, getSqlComparisonType } from './lookup-value-types.js';

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
type LookupConditionBuilder = (comparison: LookupComparison, compared: SqlComparisonType) => SqlText | undefined;

const createBinaryConditionBuilder =
  (operator: string): LookupConditionBuilder =>
  ({ own, value, parameters }, { type, cast, read }) => {
    const given = read(value);
    return given === undefined
      ? undefined
      : `${own}${cast ? `::${type}` : ''} ${operator} ${parameters.add(given, type)}`;
  };

const createLikeConditionBuilder =
  (operator: 'LIKE' | 'ILIKE', before: string, after: string): LookupConditionBuilder =>
  ({ own, value, parameters, limits }) => {
    const given = getSqlComparisonType('text').read(value);
    if (typeof given !== 'string') return undefined;
    const problem = findSearchTextProblem(given, limits);
    if (problem !== null) throw createInvalidInputProblem(problem);
    const escaped = given.replace(/[\\%_]/g, String.raw`\$&`);
    return `${own}::text ${operator} ${parameters.add(`${before}${escaped}${after}`, 'text')}`;
  };

const createRegularExpressionConditionBuilder =
  (operator: '~' | '~*'): LookupConditionBuilder =>
  ({ own, value, parameters, limits }) => {
    const given = getSqlComparisonType('text').read(value);
    if (typeof given !== 'string') return undefined;
    const problem = findRegularExpressionProblem(given, limits);
    if (problem !== null) throw createInvalidInputProblem(problem);
    return isValidRegularExpression(given) ? `${own}::text ${operator} ${parameters.add(given, 'text')}` : undefined;
  };

const parseLookupValueList = (
  values: readonly unknown[],
  { read }: SqlComparisonType,
  { filterValues }: RequestLimits,
): unknown[] | undefined => {
  if (values.length > filterValues)
    throw createInvalidInputProblem(`Give at most ${filterValues} values (there are ${values.length}).`);
  const given = values.map(read);
  return given.includes(undefined) ? undefined : given;
};

const createNetworkConditionBuilder =
  (operator: string): LookupConditionBuilder =>
  ({ own, value, parameters }) => {
    const given = getSqlComparisonType('inet').read(value);
    return given === undefined ? undefined : `${own}::inet ${operator} ${parameters.add(given, 'inet')}`;
  };

const createNetworkPartConditionBuilder =
  (name: 'masklen' | 'family'): LookupConditionBuilder =>
  ({ own, value, parameters }) => {
    const given = getSqlComparisonType('bigint').read(value);
    return given === undefined ? undefined : `${name}(${own}::inet) = ${parameters.add(given, 'bigint')}`;
  };

/**
 * Functions that build SQL conditions for lookups, by the lookup's suffix, such as `gte` (greater than or equal). The
 * lookups are those of the reference API's query language.
 */
const conditionBuilderByLookup: Readonly<Record<string, LookupConditionBuilder>> = {
  exact: createBinaryConditionBuilder('='),
  gt: createBinaryConditionBuilder('>'),
  gte: createBinaryConditionBuilder('>='),
  lt: createBinaryConditionBuilder('<'),
  lte: createBinaryConditionBuilder('<='),
  iexact: createLikeConditionBuilder('ILIKE', '', ''),
  contains: createLikeConditionBuilder('LIKE', '%', '%'),
  icontains: createLikeConditionBuilder('ILIKE', '%', '%'),
  startswith: createLikeConditionBuilder('LIKE', '', '%'),
  istartswith: createLikeConditionBuilder('ILIKE', '', '%'),
  endswith: createLikeConditionBuilder('LIKE', '%', ''),
  iendswith: createLikeConditionBuilder('ILIKE', '%', ''),
  regex: createRegularExpressionConditionBuilder('~'),
  iregex: createRegularExpressionConditionBuilder('~*'),
  in: ({ own, value, parameters, limits }, compared) => {
    const given = Array.isArray(value) ? parseLookupValueList(value, compared, limits) : undefined;
    if (given === undefined) return undefined;
    return `${own}${compared.cast ? `::${compared.type}` : ''} = ANY (${parameters.add(given, `${compared.type}[]`)})`;
  },
  range: ({ own, value, parameters, limits }, compared) => {
    const given =
      Array.isArray(value) && value.length === 2 ? parseLookupValueList(value, compared, limits) : undefined;
    if (given === undefined) return undefined;
    const [from, to] = given.map((bound) => parameters.add(bound, compared.type));
    return `${own}${compared.cast ? `::${compared.type}` : ''} BETWEEN ${from} AND ${to}`;
  },
  isnull: ({ own, value }) => {
    const flag = getSqlComparisonType('boolean').read(value);
    return typeof flag === 'boolean' ? `${own} IS ${flag ? '' : 'NOT '}NULL` : undefined;
  },
  net_contained: createNetworkConditionBuilder('<<'),
  net_contained_or_equal: createNetworkConditionBuilder('<<='),
  net_contains: createNetworkConditionBuilder('>>'),
  net_contains_or_equals: createNetworkConditionBuilder('>>='),
  net_host_contained: createNetworkConditionBuilder('<<='),
  net_host: ({ own, value, parameters }) => {
    const given = getSqlComparisonType('inet').read(value);
    return given === undefined ? undefined : `host(${own}::inet)::inet = ${parameters.add(given, 'inet')}`;
  },
  net_mask_length: createNetworkPartConditionBuilder('masklen'),
  family: createNetworkPartConditionBuilder('family'),
};

/** SQL operators for the lookups on columns that contain lists, by the lookup's suffix. */
const conditionBuilderByListLookup: Readonly<Record<string, string>> = {
  exact: '=',
  contains: '@>',
  contained_by: '<@',
  overlap: '&&',
};

/** Returns true if the last name of an attribute path is the name of a lookup, such as `in`. */
export function isLookupName(name: string): boolean {
  return Object.hasOwn(conditionBuilderByLookup, name);
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
export function createLookupConditionSql(lookup: string, comparison: LookupComparison): SqlText | undefined {
  const { type, value, own } = comparison;
  if (value === null && (lookup === 'exact' || lookup === 'iexact')) return `${own} IS NULL`;
  if (type.endsWith('[]')) return createListColumnConditionSql(lookup, comparison);
  const operator = conditionBuilderByLookup[lookup];
  if (operator === undefined) throw new UnknownAttributeError([`Unsupported lookup '${lookup}'.`]);
  return operator(comparison, getSqlComparisonType(type));
}

function createListColumnConditionSql(
  lookup: string,
  { own, type, value, parameters, limits }: LookupComparison,
): SqlText | undefined {
  const operator = conditionBuilderByListLookup[lookup];
  if (operator === undefined) throw new UnknownAttributeError([`Unsupported lookup '${lookup}'.`]);
  const given = parseLookupValueList(
    Array.isArray(value) ? value : [value],
    getSqlComparisonType(type.slice(0, -2)),
    limits,
  );
  return given === undefined ? undefined : `${own} ${operator} ${parameters.add(given, type)}`;
}

function isValidRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
