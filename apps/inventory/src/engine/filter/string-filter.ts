import type { Sql } from '../sql/pieces.js';
import { except, type Filter, FilterProblem, type FilterRequest, type Lookup, readFlag } from './filter.js';

/** What texts can be compared by. */
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

/** Texts that hold any of the values, whatever the case; no lookups. */
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

/** How each lookup compares the column with one value; negations are made of these. */
const comparisons: Partial<Record<Lookup, (own: Sql, value: Sql) => Sql>> = {
  ic: (own, value) => `${own} ILIKE concat('%', ${value}, '%')`,
  isw: (own, value) => `${own} ILIKE concat(${value}, '%')`,
  iew: (own, value) => `${own} ILIKE concat('%', ${value})`,
  ie: (own, value) => `lower(${own}) = lower(${value})`,
  regex: (own, value) => `${own} ~ ${value}`,
  iregex: (own, value) => `${own} ~* ${value}`,
};

const negations: Partial<Record<Lookup, Lookup>> = { nic: 'ic', nisw: 'isw', niew: 'iew', nie: 'ie' };
const patterns = new Set<Lookup>(['ic', 'isw', 'iew']);

/** PostgreSQL matches these by trying; what is left runs in time proportional to the text. */
const backReference = /\\[1-9]/;
const longestPattern = 1000;

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
  if (lookup === 'regex' || lookup === 'iregex') {
    if (clean.some((value) => value.length > longestPattern || backReference.test(value))) {
      throw new FilterProblem(
        `Enter a regular expression of at most ${longestPattern} characters, without references.`,
      );
    }
    request.runsPattern();
  }
  if (patterns.has(positive)) request.needsOwnPlan();
  const each = clean.map((value) =>
    compare(`${own}::text`, parameters.add(patterns.has(positive) ? escapePattern(value) : value, 'text')),
  );
  const any = each.length === 0 ? 'false' : `(${each.join(' OR ')})`;
  return positive === lookup ? any : except(any);
}

/** Makes a value stand for itself inside LIKE. */
export function escapePattern(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}
