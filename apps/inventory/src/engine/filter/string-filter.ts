import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';
import { patternProblem, searchTextProblem } from '../pattern.js';
import { except, type Filter, FilterProblem, type FilterRequest, type Lookup, readFlag } from './filter.js';

/** Lookups of texts. */
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

/** Equality and text lookups on a column, several values meaning any of them. */
export function stringFilter(name: string, expression: (alias: string) => Sql = column(name)): Filter {
  return {
    name,
    lookups: textLookups,
    multiple: true,
    schema: { type: 'string' },
    compile: (request) => textCondition(expression(request.alias), request),
  };
}

/** Filter for texts that contain any of the values in any letter case, without lookups. */
export function containsFilter(name: string): Filter {
  const text = stringFilter(name);
  return { ...text, lookups: [], compile: (request) => text.compile({ ...request, lookup: 'ic' }) };
}

/** The filter without some of its lookups. */
export function withoutLookups(filter: Filter, ...removed: readonly Lookup[]): Filter {
  return { ...filter, lookups: filter.lookups.filter((lookup) => !removed.includes(lookup)) };
}

function column(name: string): (alias: string) => Sql {
  return (alias) => `${alias}."${name}"`;
}

/** Comparison of the column with a value; negations are made of these. */
interface TextComparison {
  readonly operator: Sql;
  /** The value as it is compared; itself when absent. */
  readonly made?: (value: string) => string;
  /** True to compare both sides in lower case. */
  readonly lower?: boolean;
  /** The problem with a value, if any. */
  readonly problem?: typeof patternProblem;
}

const comparisons: Partial<Record<Lookup, TextComparison>> = {
  ic: { operator: 'ILIKE', made: (value) => `%${escapePattern(value)}%`, problem: searchTextProblem },
  isw: { operator: 'ILIKE', made: (value) => `${escapePattern(value)}%`, problem: searchTextProblem },
  iew: { operator: 'ILIKE', made: (value) => `%${escapePattern(value)}`, problem: searchTextProblem },
  ie: { operator: '=', lower: true },
  regex: { operator: '~', problem: patternProblem },
  iregex: { operator: '~*', problem: patternProblem },
};

const negations: Partial<Record<Lookup, Lookup>> = { nic: 'ic', nisw: 'isw', niew: 'iew', nie: 'ie' };

/** The condition on a text expression; null when the values ask for nothing. */
export function textCondition(own: Sql, request: FilterRequest): Sql | null {
  const { values, lookup, parameters } = request;
  if (lookup === 'empty') {
    const flag = readFlag(values.at(-1) ?? '');
    if (flag === null) return null;
    return flag ? `coalesce(${own}, '') = ''` : `coalesce(${own}, '') <> ''`;
  }
  const clean = values.filter((value) => !value.includes('\0'));
  if (lookup === null || lookup === 'n') {
    const any = `${own} = ANY (${parameters.add(clean, 'text[]')})`;
    return lookup === null ? any : except(any);
  }
  const positive = negations[lookup] ?? lookup;
  const compare = comparisons[positive];
  if (compare === undefined) return null;
  for (const value of clean) {
    const problem = compare.problem?.(value, request.services.limits) ?? null;
    if (problem !== null) throw new FilterProblem(problem);
  }
  if (compare.problem === patternProblem) request.runsPattern();
  if (compare.operator === 'ILIKE') request.needsOwnPlan();
  const any = clean.length === 0 ? 'false' : comparedWith(own, compare, clean, parameters);
  return positive === lookup ? any : except(any);
}

function comparedWith(
  own: Sql,
  { operator, made = (value) => value, lower = false }: TextComparison,
  values: readonly string[],
  parameters: Parameters,
): Sql {
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

/** Escapes a value for LIKE. */
export function escapePattern(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}
