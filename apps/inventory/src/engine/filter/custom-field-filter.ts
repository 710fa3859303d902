import type { CustomField } from '../custom-fields/custom-field.js';
import { literal, type Sql } from '../sql/pieces.js';
import { booleanFilter } from './boolean-filter.js';
import { dateFilter } from './date-filter.js';
import { except, type Filter, FilterProblem, type FilterRequest } from './filter.js';
import { datetimeFilter, decimalFilter, integerFilter } from './number-filter.js';
import { stringFilter } from './string-filter.js';

/** `cf_<name>` of the fields of a model (contract 1.9). Negations match objects without a value. */
export function customFieldFilters(fields: readonly CustomField[]): readonly Filter[] {
  return fields.flatMap((field) =>
    field.filterLogic === 'disabled' || field.type === 'json' ? [] : [orUnset(filterOf(field), field)],
  );
}

function filterOf(field: CustomField): Filter {
  const name = `cf_${field.name}`;
  const value = (alias: string): Sql => `(${alias}.custom_field_data ->> ${literal(field.name)})`;
  const cast =
    (type: string) =>
    (alias: string): Sql =>
      `${value(alias)}::${type}`;
  switch (field.type) {
    case 'integer':
      return integerFilter(name, cast('bigint'));
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
      return holding(name, field);
    default: {
      const text = stringFilter(name, value);
      if (field.filterLogic === 'exact') return { ...text, compile: (request) => exactText(field, text, request) };
      return { ...text, lookups: [], compile: (request) => text.compile({ ...request, lookup: 'ic' }) };
    }
  }
}

/** Equality is containment, which can use an index; other lookups compare the text. */
function exactText(field: CustomField, text: Filter, request: FilterRequest): Sql | null {
  const isEquality = request.lookup === null || request.lookup === 'n';
  return isEquality ? holding(text.name, field).compile(request) : text.compile(request);
}

/** Objects whose value is, or has among it, any of those given. Containment can use an index. */
function holding(name: string, { name: key, type, relatedType }: CustomField): Filter {
  const isList = type.startsWith('multi');
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: relatedType === null ? { type: 'string' } : { type: 'integer' },
    compile: ({ alias, values, lookup, parameters }) => {
      const wanted = values.map((value) => (relatedType === null ? readText(value) : readId(value)));
      const held = wanted.map((value) => JSON.stringify({ [key]: isList ? [value] : value }));
      const [only] = held;
      const any = `${alias}.custom_field_data @> ${held.length === 1 ? parameters.add(only, 'jsonb') : `ANY (${parameters.add(held, 'jsonb[]')})`}`;
      return lookup === 'n' ? except(any) : any;
    },
  };
}

/** The value `null` stands for none. */
function orUnset(filter: Filter, { name }: CustomField): Filter {
  return {
    ...filter,
    compile: (request: FilterRequest) => {
      const { alias, lookup, values } = request;
      if (!values.includes('null') || (lookup !== null && lookup !== 'n')) return filter.compile(request);
      const unset = `(${alias}.custom_field_data ->> ${literal(name)}) IS NULL`;
      const set = values.filter((value) => value !== 'null');
      const rest = set.length === 0 ? null : filter.compile({ ...request, values: set });
      if (lookup === 'n') return rest === null ? `NOT ${unset}` : `(NOT ${unset} AND ${rest})`;
      return rest === null ? unset : `(${unset} OR ${rest})`;
    },
  };
}

function readText(value: string): string {
  return value.replaceAll('\0', '');
}

function readId(value: string): number {
  if (!/^\s*\d{1,15}\s*$/.test(value)) throw new FilterProblem(`“${value}” is not a valid value.`);
  return Number(value);
}
