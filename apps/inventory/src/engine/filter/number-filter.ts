import type { JsonSchema } from '../meta/json-schema-of-values.js';
import type { SqlText } from '../sql/json-text-sql.js';
import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  type FilterLookupSuffix,
  parseBooleanFilterValue,
} from './filter-problem.js';

const numberLookups = ['n', 'lte', 'lt', 'gte', 'gt', 'empty'] as const;
const numberOperatorByLookup: Partial<Record<FilterLookupSuffix, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Parser and SQL type of the values that a filter compares by order, such as numbers or dates. */
export interface OrderedFilterValueType {
  readonly type: string;
  readonly schema: JsonSchema;
  /**
   * Validates a filter value, and returns the value in the form for the database. Replaces a number outside the range
   * of the SQL type with the nearest number in that range. No row has the replacement as its value.
   */
  read(value: string): string;
}

/**
 * Smallest value of the SQL type `bigint`. Filter values below this number are replaced with it, which changes no
 * result because no row has this value.
 */
const smallestBigint = '-9223372036854775808';
/**
 * Largest value of the SQL type `bigint`. Filter values above this number are replaced with it, which changes no result
 * because no row has this value.
 */
const largestBigint = '9223372036854775807';

const integerValueType: OrderedFilterValueType = {
  type: 'bigint',
  schema: { type: 'integer' },
  read: (value) => {
    if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(value)) throw new InvalidFilterValueError('Enter a whole number.');
    const number = value.trim().replace(/\.0*$/, '');
    const digits = number.replace(/^[+-]?0*/, '');
    if (digits.length < 19) return number;
    return number.startsWith('-') ? smallestBigint : largestBigint;
  },
};

const decimalValueType: OrderedFilterValueType = {
  type: 'numeric',
  schema: { type: 'number' },
  read: (value) => {
    if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value) || value.length > 100)
      throw new InvalidFilterValueError('Enter a number.');
    return value.trim();
  },
};

const datetimeValueType: OrderedFilterValueType = {
  type: 'timestamptz',
  schema: { type: 'string', format: 'date-time' },
  read: (value) => {
    // A `+` that a client did not encode in the query string arrives as a space.
    const given = value.trim().replace(/ (\d\d:?\d\d)$/, '+$1');
    const form = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5])(:?[0-5]\d)?)?)?$/i;
    const zoned =
      given.length === 10
        ? `${given}T00:00:00Z`
        : /(Z|[+-]\d\d(:?\d\d)?)$/i.test(given.slice(10))
          ? given
          : `${given}Z`;
    const day = Date.parse(`${given.slice(0, 10)}T00:00:00Z`);
    const real =
      form.test(given) &&
      !given.startsWith('0000') &&
      !Number.isNaN(day) &&
      new Date(day).toISOString().startsWith(given.slice(0, 10));
    if (!real || Number.isNaN(Date.parse(zoned.replace(' ', 'T'))))
      throw new InvalidFilterValueError('Enter a valid date/time.');
    return zoned;
  },
};

/** Returns a filter that compares an SQL expression with filter values of an ordered type, such as numbers or dates. */
export function orderedValueFilter(
  name: string,
  expression: (alias: string) => SqlText,
  values: OrderedFilterValueType,
): ListFilter {
  return {
    name,
    lookups: numberLookups,
    multiple: true,
    schema: values.schema,
    compile: (request) => compileOrderedValueComparison(expression(request.alias), request, values),
  };
}

function compileOrderedValueComparison(
  own: SqlText,
  { values, lookup, parameters }: RequestedFilterValues,
  comparable: OrderedFilterValueType,
): SqlText | null {
  if (lookup === 'empty') {
    const flag = parseBooleanFilterValue(values.at(-1) ?? '');
    return flag === null ? null : `${own} IS ${flag ? '' : 'NOT '}NULL`;
  }
  const read = values.map((value) => comparable.read(value));
  const operator = lookup === null ? undefined : numberOperatorByLookup[lookup];
  if (operator !== undefined) {
    const [only] = read;
    if (read.length === 1) return `${own} ${operator} ${parameters.add(only, comparable.type)}`;
    return `${own} ${operator} ANY (${parameters.add(read, `${comparable.type}[]`)})`;
  }
  const any = `${own} = ANY (${parameters.add(read, `${comparable.type}[]`)})`;
  return lookup === 'n' ? negateSqlCondition(any) : any;
}

/** Returns a filter that compares an SQL expression with whole numbers. */
export function integerFilter(name: string, expression: (alias: string) => SqlText): ListFilter {
  return orderedValueFilter(name, expression, integerValueType);
}

/**
 * Parses a filter value as a whole number.
 *
 * @throws InvalidFilterValueError for any other text
 */
export function parseFilterInteger(value: string): number {
  return Number(integerValueType.read(value));
}

/** Returns a filter that compares an SQL expression with decimal numbers. */
export function decimalFilter(name: string, expression: (alias: string) => SqlText): ListFilter {
  return orderedValueFilter(name, expression, decimalValueType);
}

/**
 * Returns a filter that compares an SQL expression with points in time. A filter value without a time stands for the
 * start of the day in UTC.
 */
export function datetimeFilter(name: string, expression: (alias: string) => SqlText): ListFilter {
  return orderedValueFilter(name, expression, datetimeValueType);
}

/**
 * Returns a filter with the given name that applies one fixed lookup of another filter, such as greater than. If the
 * request has several filter values, only the last value is used.
 */
export function numberLookupFilter(name: string, filter: ListFilter, lookup: FilterLookupSuffix | null): ListFilter {
  return {
    ...filter,
    name,
    lookups: [],
    multiple: false,
    compile: (request) => filter.compile({ ...request, lookup, values: request.values.slice(-1) }),
  };
}

/**
 * Returns a filter for numbers that are at least (`>=`) or at most (`<=`) the filter value. The filter has no lookups.
 * If the request has several filter values, only the last value is used.
 */
export function numberBoundFilter(
  name: string,
  expression: (alias: string) => SqlText,
  operator: '>=' | '<=',
): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: decimalValueType.schema,
    compile: ({ values, alias, parameters }) =>
      `${expression(alias)} ${operator} ${parameters.add(decimalValueType.read(values.at(-1) ?? ''), decimalValueType.type)}`,
  };
}

/**
 * Returns a filter for points in time that are at or after (`>=`), or at or before (`<=`), the filter value. The filter
 * has no lookups. If the request has several filter values, only the last value is used.
 */
export function datetimeBoundFilter(name: string, column: string, operator: '>=' | '<='): ListFilter {
  return {
    name,
    lookups: [],
    multiple: false,
    schema: datetimeValueType.schema,
    compile: ({ values, alias, parameters }) =>
      `${alias}."${column}" ${operator} ${parameters.add(datetimeValueType.read(values.at(-1) ?? ''), datetimeValueType.type)}`,
  };
}
