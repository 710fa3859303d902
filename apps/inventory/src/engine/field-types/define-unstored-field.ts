import type { ModelField } from '../declaration/field.js';

/** Returns a write-only field whose value is validated but not stored. */
export function defineUnstoredField<Stored>(field: ModelField<Stored>): ModelField<Stored> {
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
