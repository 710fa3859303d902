import type { Field } from '../declaration/field.js';
import { hardwareAddressFilter } from '../filter/hardware-address-filter.js';
import { orNull } from '../meta/json-schema.js';
import { sql } from '../sql/pieces.js';
import { invalidInput } from '../write/input-problem.js';
import { parseHardwareAddress } from './hardware-address.js';
import { columnOf, type TraitOptions, traits } from './traits.js';

/**
 * Creates a field for a MAC address, stored as `macaddr` and shown as `00:1B:44:11:3A:B7`. Accepts common notations.
 */
export function mac(options: TraitOptions<string | null> = {}): Field<string | null> {
  return hardwareAddress({ bytes: 6, name: 'MAC address', columnType: 'macaddr' }, options);
}

/** Creates a field for a World Wide Name of eight bytes, stored as `macaddr8` and shown like a {@link mac}. */
export function wwn(options: TraitOptions<string | null> = {}): Field<string | null> {
  return hardwareAddress({ bytes: 8, name: 'WWN', columnType: 'macaddr8' }, options);
}

/** Length, name and column type of a kind of hardware address. */
interface HardwareAddressKind {
  readonly bytes: 6 | 8;
  /** Name of the kind of address in error messages. */
  readonly name: string;
  readonly columnType: 'macaddr' | 'macaddr8';
}

function hardwareAddress(form: HardwareAddressKind, options: TraitOptions<string | null>): Field<string | null> {
  const own = traits(options, null);
  const schema = { type: 'string' };
  const written = { type: 'string', minLength: 1 };
  const shown = (column: string): string => `coalesce('"' || upper(${column}::text) || '"', 'null')`;
  return {
    kind: 'hardwareAddress',
    traits: own,
    column: (name) => ({ name, type: form.columnType }),
    json: (place) => [sql(shown(columnOf(place, place.name)))],
    snapshot: (place) => [sql(shown(columnOf(place, place.name)))],
    input: (value) => {
      if (own.nullable && (value === null || value === '')) return null;
      return readHardwareAddress(value, form);
    },
    schema: {
      read: () => (own.nullable ? orNull(schema) : schema),
      write: () => (own.nullable ? orNull(schema) : written),
    },
    metadata: { type: 'string' },
    filters: (name) => [hardwareAddressFilter(name, form.columnType)],
    order: (place) => [columnOf(place, place.name)],
  };
}

function readHardwareAddress(value: unknown, { bytes, name }: HardwareAddressKind): string {
  if (value === null) throw invalidInput('This field may not be null.');
  if (typeof value !== 'string' && typeof value !== 'number') throw invalidInput('Not a valid string.');
  const given = String(value).trim();
  if (given.includes('\0')) throw invalidInput('Null characters are not allowed.');
  if (given === '') throw invalidInput('This field may not be blank.');
  const address = parseHardwareAddress(given, bytes);
  if (address === null) throw invalidInput(`Invalid ${name} format: ${given}`);
  return address;
}
