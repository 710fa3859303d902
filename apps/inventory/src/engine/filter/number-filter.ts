import type { JsonSchema } from '../meta/json-schema.js';
import type { Sql } from '../sql/pieces.js';
import { type Filter, FilterProblem, type FilterRequest, type Lookup, readFlag } from './filter.js';

const lookups = ['n', 'lte', 'lt', 'gte', 'gt', 'empty'] as const;
const operators: Partial<Record<Lookup, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

interface Comparable {
  readonly type: string;
  readonly schema: JsonSchema;
  /** The value as the database reads it; null when no row can have it. */
  read(value: string): string | null;
}

const integers: Comparable = {
  type: 'bigint',
  schema: { type: 'integer' },
  read: (value) => {
    if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(value)) throw new FilterProblem('Enter a whole number.');
    const number = value.trim().replace(/\.0*$/, '');
    const inRange = number.length < 30 && BigInt(number) >= -(2n ** 63n) && BigInt(number) < 2n ** 63n;
    return inRange ? number : null;
  },
};

const decimals: Comparable = {
  type: 'numeric',
  schema: { type: 'number' },
  read: (value) => {
    if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value) || value.length > 100) throw new FilterProblem('Enter a number.');
    return value.trim();
  },
};

const times: Comparable = {
  type: 'timestamptz',
  schema: { type: 'string', format: 'date-time' },
  read: (value) => {
    // A + in a query string that nobody encoded arrives as a blank.
    const given = value.trim().replace(/ (\d\d:?\d\d)$/, '+$1');
    const form = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/i;
    const zoned =
      given.length === 10
        ? `${given}T00:00:00Z`
        : /(Z|[+-]\d\d(:?\d\d)?)$/i.test(given.slice(10))
          ? given
          : `${given}Z`;
    const day = Date.parse(`${given.slice(0, 10)}T00:00:00Z`);
    const real = form.test(given) && !Number.isNaN(day) && new Date(day).toISOString().startsWith(given.slice(0, 10));
    if (!real || Number.isNaN(Date.parse(zoned.replace(' ', 'T')))) throw new FilterProblem('Enter a valid date/time.');
    return zoned;
  },
};

function comparison(name: string, expression: (alias: string) => Sql, values: Comparable): Filter {
  return {
    name,
    lookups,
    multiple: true,
    schema: values.schema,
    compile: (request) => compileComparison(expression(request.alias), request, values),
  };
}

function compileComparison(
  own: Sql,
  { values, lookup, parameters }: FilterRequest,
  comparable: Comparable,
): Sql | null {
  if (lookup === 'empty') {
    const flag = readFlag(values.at(-1) ?? '');
    return flag === null ? null : `${own} IS ${flag ? '' : 'NOT '}NULL`;
  }
  const read = values.flatMap((value) => comparable.read(value) ?? []);
  const operator = lookup === null ? undefined : operators[lookup];
  if (operator !== undefined) {
    if (read.length === 0) return 'false';
    return `(${read.map((value) => `${own} ${operator} ${parameters.add(value, comparable.type)}`).join(' OR ')})`;
  }
  const any = `coalesce(${own} = ANY (${parameters.add(read, `${comparable.type}[]`)}), false)`;
  return lookup === 'n' ? `NOT ${any}` : any;
}

/** Equality and order on whole numbers. */
export function integerFilter(name: string, expression: (alias: string) => Sql): Filter {
  return comparison(name, expression, integers);
}

/** Equality and order on decimals. */
export function decimalFilter(name: string, expression: (alias: string) => Sql): Filter {
  return comparison(name, expression, decimals);
}

/** Equality and order on times; a bare date is its midnight in UTC. */
export function datetimeFilter(name: string, expression: (alias: string) => Sql): Filter {
  return comparison(name, expression, times);
}
