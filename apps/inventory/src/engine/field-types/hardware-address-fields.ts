import type { ModelField } from '../declaration/field.js';
import { hardwareAddressFilter } from '../filter/hardware-address-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { parseHardwareAddress } from './hardware-address.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/**
 * Creates a field for a MAC address, stored as `macaddr` and shown as `00:1B:44:11:3A:B7`. Accepts common notations.
 */
export function macAddressField(options: FieldPropertyOptions<string | null> = {}): ModelField<string | null> {
  return createHardwareAddressField({ bytes: 6, name: 'MAC address', columnType: 'macaddr' }, options);
}

/** Creates a field for a World Wide Name of eight bytes, stored as `macaddr8` and shown like a {@link macAddressField}. */
export function worldWideNameField(options: FieldPropertyOptions<string | null> = {}): ModelField<string | null> {
  return createHardwareAddressField({ bytes: 8, name: 'WWN', columnType: 'macaddr8' }, options);
}

/** Length, name and column type of one kind of hardware address, such as MAC addresses. */
interface HardwareAddressKind {
  readonly bytes: 6 | 8;
  /** Name that error messages use for a kind of hardware address. */
  readonly name: string;
  readonly columnType: 'macaddr' | 'macaddr8';
}

function createHardwareAddressField(
  form: HardwareAddressKind,
  options: FieldPropertyOptions<string | null>,
): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, null);
  const schema = { type: 'string' };
  const written = { type: 'string', minLength: 1 };
  const shown = (column: string): string => `coalesce('"' || upper(${column}::text) || '"', 'null')`;
  return {
    kind: 'hardwareAddress',
    traits: own,
    column: (name) => ({ name, type: form.columnType }),
    json: (place) => [createComputedJsonFragment(shown(createQualifiedColumnSql(place, place.name)))],
    snapshot: (place) => [createComputedJsonFragment(shown(createQualifiedColumnSql(place, place.name)))],
    input: (value) => {
      if (own.nullable && (value === null || value === '')) return null;
      return parseHardwareAddressInput(value, form);
    },
    schema: {
      read: () => (own.nullable ? createNullableJsonSchema(schema) : schema),
      write: () => (own.nullable ? createNullableJsonSchema(schema) : written),
    },
    metadata: { type: 'string' },
    filters: (name) => [hardwareAddressFilter(name, form.columnType)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

function parseHardwareAddressInput(value: unknown, { bytes, name }: HardwareAddressKind): string {
  if (value === null) throw createInvalidInputProblem('This field may not be null.');
  if (typeof value !== 'string' && typeof value !== 'number') throw createInvalidInputProblem('Not a valid string.');
  const given = String(value).trim();
  if (given.includes('\0')) throw createInvalidInputProblem('Null characters are not allowed.');
  if (given === '') throw createInvalidInputProblem('This field may not be blank.');
  const address = parseHardwareAddress(given, bytes);
  if (address === null) throw createInvalidInputProblem(`Invalid ${name} format: ${given}`);
  return address;
}
