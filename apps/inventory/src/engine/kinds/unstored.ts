import type { Field } from '../declaration/field.js';

/**
 * Makes a field of bodies alone, which says how an object is written: the value is read and checked, but not stored.
 */
export function unstored<Stored>(field: Field<Stored>): Field<Stored> {
  return {
    ...field,
    traits: { ...field.traits, writeOnly: true },
    column: () => null,
    json: () => [],
    snapshot: () => null,
    filters: () => [],
    order: () => [],
  };
}
