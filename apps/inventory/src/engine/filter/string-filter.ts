import type { Sql } from '../sql/pieces.js';
import type { Filter, FilterRequest, Lookup } from './filter.js';
import { readFlag } from './filter.js';

const lookups = ['n', 'ic', 'nic', 'iew', 'niew', 'isw', 'nisw', 'ie', 'nie', 'empty', 'regex', 'iregex'] as const;

/** Equality and text lookups on a column, several values meaning any of them. */
export function stringFilter(name: string, expression: (alias: string) => Sql = column(name)): Filter {
  return {
    name,
    lookups,
    multiple: true,
    schema: { type: 'string' },
    compile: (request) => compileText(expression(request.alias), request),
  };
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

function compileText(own: Sql, { values, lookup, parameters }: FilterRequest): Sql | null {
  if (lookup === 'empty') {
    const flag = readFlag(values.at(-1) ?? '');
    if (flag === null) return null;
    return flag ? `coalesce(${own}, '') = ''` : `coalesce(${own}, '') <> ''`;
  }
  const clean = values.filter((value) => !value.includes('\0'));
  if (lookup === null || lookup === 'n') {
    const any = `coalesce(${own} = ANY (${parameters.add(clean, 'text[]')}), false)`;
    return lookup === null ? any : `NOT ${any}`;
  }
  const positive = negations[lookup] ?? lookup;
  const compare = comparisons[positive];
  if (compare === undefined) return null;
  const each = clean.map((value) =>
    compare(`${own}::text`, parameters.add(patterns.has(positive) ? escapePattern(value) : value, 'text')),
  );
  if (each.length === 0) return 'false';
  const any = `coalesce(${each.join(' OR ')}, false)`;
  return positive === lookup ? any : `NOT ${any}`;
}

/** Makes a value stand for itself inside LIKE. */
export function escapePattern(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`);
}
