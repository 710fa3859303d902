import type { Field } from '../declaration/field.js';

/** What a body may say about how an object is written, and that is nothing of the object: read, checked, not kept. */
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
