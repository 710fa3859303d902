import type { ModelField } from '../declaration/field.js';
import { decimalFilter, integerFilter } from '../filter/number-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonIntegerFragment, createJsonTextFragment, createJsonValueFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Options of an integer field. The minimum and maximum are themselves allowed values. */
export interface IntegerFieldOptions extends FieldPropertyOptions<number | null> {
  readonly min?: number;
  readonly max?: number;
  /**
   * True if error messages call the field's type "biginteger" instead of "integer". Default: true if the field has no
   * maximum or its maximum exceeds 32 bits.
   */
  readonly big?: boolean;
  /** Name of the database column that stores the number, if that name differs from the field's name. */
  readonly source?: string;
}

/** Creates a field for a whole number. */
export function integerField(options: IntegerFieldOptions = {}): ModelField<number | null> {
  const own = addDefaultFieldProperties(options, 0);
  const schema = {
    type: 'integer',
    ...(options.min === undefined ? {} : { minimum: options.min }),
    ...(options.max === undefined ? {} : { maximum: options.max }),
  };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'integer',
    traits: own,
    column: (name) => ({ name: options.source ?? name, type: 'bigint' }),
    json: (place) => [createJsonIntegerFragment(createQualifiedColumnSql(place, options.source ?? place.name))],
    snapshot: (place) => [createJsonIntegerFragment(createQualifiedColumnSql(place, options.source ?? place.name))],
    input: (value) => parseIntegerInput(value, options, own.nullable),
    schema: { read: () => wire, write: () => wire },
    metadata: {
      type: 'integer',
      ...(options.min === undefined ? {} : { min_value: options.min }),
      ...(options.max === undefined ? {} : { max_value: options.max }),
    },
    filters: (name) => [integerFilter(name.replace(/^_/, ''), (alias) => `${alias}."${options.source ?? name}"`)],
    order: (place) => [createQualifiedColumnSql(place, options.source ?? place.name)],
  };
}

/** Largest value of the SQL type `integer`. */
const largestStoredInteger = 2_147_483_647;

/**
 * Parses a whole number by the rules of the reference API: numeric text and 5.0 are accepted, true and 5.5 are
 * rejected.
 */
export function parseIntegerInput(
  value: unknown,
  bounds: { min?: number; max?: number; big?: boolean },
  nullable: boolean,
): number | null {
  if (value === null) {
    if (nullable) return null;
    throw createInvalidInputProblem('This field may not be null.');
  }
  const given = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  const isBig = bounds.big ?? (bounds.max === undefined || bounds.max > largestStoredInteger);
  const wrong = `A valid ${isBig ? 'big' : ''}integer is required.`;
  if (!/^[+-]?\d{1,1000}(\.0*)?$/.test(given)) throw createInvalidInputProblem(wrong);
  const number = Number(given);
  if (bounds.max !== undefined && number > bounds.max) {
    throw createInvalidInputProblem(`Ensure this value is less than or equal to ${bounds.max}.`);
  }
  if (bounds.min !== undefined && number < bounds.min) {
    throw createInvalidInputProblem(`Ensure this value is greater than or equal to ${bounds.min}.`);
  }
  if (!Number.isSafeInteger(number)) throw createInvalidInputProblem(wrong);
  return number;
}

/** Options of a decimal field: its number of digits, and bounds. */
export interface DecimalFieldOptions extends FieldPropertyOptions<number | null> {
  readonly digits: number;
  readonly places: number;
  readonly min?: number;
  readonly max?: number;
}

/**
 * Creates a field for a decimal number. Responses show a JSON number, and change records show a text with all decimal
 * places (docs/contract/inventory.md 1.1, 4).
 */
export function decimalField(options: DecimalFieldOptions): ModelField<number | null> {
  const own = addDefaultFieldProperties(options, 0);
  const schema = {
    type: 'number',
    ...(options.min === undefined ? {} : { minimum: options.min }),
    ...(options.max === undefined ? {} : { maximum: options.max }),
  };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'decimal',
    traits: own,
    column: (name) => ({ name, type: `numeric(${options.digits}, ${options.places})` }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [createJsonTextFragment(`${createQualifiedColumnSql(place, place.name)}::text`)],
    input: (value) => parseDecimalInput(value, options, own.nullable),
    schema: { read: () => wire, write: () => wire },
    metadata: {
      type: 'decimal',
      max_digits: options.digits,
      decimal_places: options.places,
      ...(options.min === undefined ? {} : { min_value: options.min }),
      ...(options.max === undefined ? {} : { max_value: options.max }),
    },
    filters: (name) => [decimalFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

function parseDecimalInput(value: unknown, options: DecimalFieldOptions, nullable: boolean): number | null {
  if (nullable && typeof value === 'string' && value.trim() === '') return null;
  if (value === null) {
    if (nullable) return null;
    throw createInvalidInputProblem('This field may not be null.');
  }
  const given = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  const parts = /^[+-]?(\d{0,30})(?:\.(\d{0,30}))?$/.exec(given);
  if (parts === null || (parts[1] ?? '') + (parts[2] ?? '') === '')
    throw createInvalidInputProblem('A valid number is required.');
  const whole = (parts[1] ?? '').replace(/^0+/, '');
  const places = parts[2] ?? '';
  if (whole.length + places.length > options.digits) {
    throw createInvalidInputProblem(`Ensure that there are no more than ${options.digits} digits in total.`);
  }
  if (places.length > options.places) {
    throw createInvalidInputProblem(`Ensure that there are no more than ${options.places} decimal places.`);
  }
  if (whole.length > options.digits - options.places) {
    throw createInvalidInputProblem(
      `Ensure that there are no more than ${options.digits - options.places} digits before the decimal point.`,
    );
  }
  const number = Number(given);
  if (options.max !== undefined && number > options.max) {
    throw createInvalidInputProblem(`Ensure this value is less than or equal to ${options.max}.`);
  }
  if (options.min !== undefined && number < options.min) {
    throw createInvalidInputProblem(`Ensure this value is greater than or equal to ${options.min}.`);
  }
  return number;
}
