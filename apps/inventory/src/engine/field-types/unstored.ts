import type { Field } from '../declaration/field.js';

/** Creates a write-only field: its value is parsed and validated, but not stored. */
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
