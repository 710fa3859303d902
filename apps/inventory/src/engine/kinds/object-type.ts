import { isTypeName } from '../declaration/type-name.js';
import type { Field, InputPlace } from '../declaration/field.js';
import { objectTypeFilter, objectTypeListFilter } from '../filter/object-type-filter.js';
import { orNull } from '../meta/json-schema.js';
import { jsonValue } from '../sql/pieces.js';
import { refuse } from '../write/input-problem.js';
import { list } from './list.js';
import { columnOf, type TraitOptions, traits } from './traits.js';

/** Which `<app>.<model>` a reference to a type may name: a list, or every declared model that passes. */
export type AllowedTypes = readonly string[] | ((place: InputPlace) => readonly string[]);

/** A reference to a model: `<app>.<model>` on the wire and in the column. */
export function objectType(allowed: AllowedTypes, options: TraitOptions<string | null> = {}): Field<string | null> {
  const own = traits(options, null);
  const schema = { type: 'string' };
  const wire = own.nullable ? orNull(schema) : schema;
  return {
    kind: 'objectType',
    traits: own,
    column: (name) => ({ name, type: 'varchar' }),
    json: (place) => [jsonValue(columnOf(place, place.name))],
    snapshot: (place) => [jsonValue(columnOf(place, place.name))],
    input: (value, place) => {
      if (value === null && own.nullable) return null;
      return readType(value, allowed, place);
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'field' },
    filters: (name) => [objectTypeFilter(name)],
    order: (place) => [columnOf(place, place.name)],
  };
}

/** Several references to models. */
export function objectTypes(
  allowed: AllowedTypes,
  options: TraitOptions<readonly string[]> & { filterName?: string } = {},
): Field<readonly string[]> {
  return list({
    ...options,
    columnType: 'text[]',
    itemSchema: { type: 'string' },
    item: (value, place) => readType(value, allowed, place),
    filters: (name) => (options.filterName === undefined ? [] : [objectTypeListFilter(options.filterName, name)]),
  });
}

function readType(value: unknown, allowed: AllowedTypes, place: InputPlace): string {
  if (value === null) throw refuse('This field may not be null.');
  if (typeof value !== 'string' || !isTypeName(value)) {
    throw refuse("Invalid value. Specify a content type as '<app_label>.<model_name>'.");
  }
  const types = typeof allowed === 'function' ? allowed(place) : allowed;
  if (!types.includes(value)) throw refuse(`Invalid content type: ${value}`);
  return value;
}
