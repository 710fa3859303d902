import type { CustomField } from '../custom-fields/custom-field.js';
import {
  createContainsAnyValueSql,
  createCustomFieldTextSql,
  customFieldValuesColumn,
} from '../custom-fields/stored-custom-field-value.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { booleanFilter } from './boolean-filter.js';
import { dateFilter } from './date-filter.js';
import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
} from './filter-problem.js';
import { datetimeFilter, decimalFilter, integerFilter, parseFilterInteger } from './number-filter.js';
import { stringFilter } from './string-filter.js';

/**
 * Returns the filters `cf_<name>` of a model, which compare the values of custom fields (docs/contract/inventory.md
 * 1.9). A negated filter also matches objects that have no value for the custom field.
 */
export function customFieldFilters(fields: readonly CustomField[]): readonly ListFilter[] {
  return fields.flatMap((field) =>
    field.filterLogic === 'disabled' || field.type === 'json'
      ? []
      : [createFilterAcceptingNull(customFieldFilter(field), field)],
  );
}

function customFieldFilter(field: CustomField): ListFilter {
  const name = `cf_${field.name}`;
  const value = (alias: string): SqlText => createCustomFieldTextSql(alias, field);
  const cast =
    (type: string) =>
    (alias: string): SqlText =>
      // Values of all types may be an empty string.
      `nullif(${value(alias)}, '')::${type}`;
  switch (field.type) {
    case 'integer':
      return createFilterWithJsonContainment(integerFilter(name, cast('bigint')), field);
    case 'decimal':
      return decimalFilter(name, cast('numeric'));
    case 'boolean':
      return booleanFilter(name, (alias) => `coalesce(${cast('boolean')(alias)}, false)`);
    case 'date':
      return dateFilter(name, cast('date'));
    case 'datetime':
      return datetimeFilter(name, cast('timestamptz'));
    case 'select':
    case 'multiselect':
    case 'object':
    case 'multiobject':
      return createContainmentFilter(name, field);
    default: {
      const text = stringFilter(name, value);
      if (field.filterLogic === 'exact')
        return { ...text, compile: (request) => compileExactTextFilter(field, text, request) };
      return { ...text, lookups: [], compile: (request) => text.compile({ ...request, lookup: 'ic' }) };
    }
  }
}

/**
 * Returns the filter by a custom field for texts whose filter logic is "exact". The equality filter and its negation,
 * the lookup `n`, become a JSON containment test, which can use an index. Other lookups compare the text of the custom
 * field.
 */
function compileExactTextFilter(field: CustomField, text: ListFilter, request: RequestedFilterValues): SqlText | null {
  const isEquality = request.lookup === null || request.lookup === 'n';
  return isEquality ? createContainmentFilter(text.name, field).compile(request) : text.compile(request);
}

/**
 * Returns a filter for objects whose custom field value equals or contains a given value. The SQL tests JSON
 * containment, which can use an index.
 */
function createContainmentFilter(name: string, field: CustomField): ListFilter {
  const { type, relatedType } = field;
  const isList = type.startsWith('multi');
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: relatedType === null ? { type: 'string' } : { type: 'integer' },
    compile: ({ alias, values, lookup, parameters }) => {
      const requested = values.map((value) =>
        relatedType === null ? removeNullCharacters(value) : parseObjectIdValue(value),
      );
      const held = isList ? requested.map((value) => [value]) : requested;
      const any = createContainsAnyValueSql(alias, field, held, createContainmentCondition(alias, parameters));
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}

/**
 * Returns a copy of a custom field's filter in which the filter value `null` matches objects that have no value for the
 * field.
 */
function createFilterAcceptingNull(filter: ListFilter, field: CustomField): ListFilter {
  return {
    ...filter,
    compile: (request: RequestedFilterValues) => {
      const { alias, lookup, values } = request;
      if (!values.includes('null') || (lookup !== null && lookup !== 'n')) return filter.compile(request);
      const unset = `${createCustomFieldTextSql(alias, field)} IS NULL`;
      const set = values.filter((value) => value !== 'null');
      const rest = set.length === 0 ? null : filter.compile({ ...request, values: set });
      if (lookup === 'n') return rest === null ? `NOT ${unset}` : `(NOT ${unset} AND ${rest})`;
      return rest === null ? unset : `(${unset} OR ${rest})`;
    },
  };
}

/**
 * Returns a copy of a filter by a custom field for whole numbers, in which equality is a JSON containment test. The
 * containment test can use an index.
 */
function createFilterWithJsonContainment(filter: ListFilter, field: CustomField): ListFilter {
  return {
    ...filter,
    compile: (request) => {
      const { alias, values, lookup, parameters } = request;
      if (lookup !== null && lookup !== 'n') return filter.compile(request);
      const numbers = values.map(parseFilterInteger);
      // The database compares numbers that JavaScript cannot represent exactly.
      if (!numbers.every(Number.isSafeInteger)) return filter.compile(request);
      const any = createContainsAnyValueSql(alias, field, numbers, createContainmentCondition(alias, parameters));
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}

/**
 * Returns a function that builds an SQL condition on the column of custom field values. The condition is true if the
 * column's JSON contains one of several JSON objects.
 */
function createContainmentCondition(
  alias: string,
  parameters: RequestedFilterValues['parameters'],
): (keyed: readonly string[]) => SqlText {
  return (keyed) => {
    const [only] = keyed;
    const requested = keyed.length === 1 ? parameters.add(only, 'jsonb') : `ANY (${parameters.add(keyed, 'jsonb[]')})`;
    return `${alias}.${customFieldValuesColumn} @> ${requested}`;
  };
}

function removeNullCharacters(value: string): string {
  return value.replaceAll('\0', '');
}

function parseObjectIdValue(value: string): number {
  if (!/^\s*\d{1,15}\s*$/.test(value)) throw new InvalidFilterValueError(`“${value}” is not a valid value.`);
  return Number(value);
}
