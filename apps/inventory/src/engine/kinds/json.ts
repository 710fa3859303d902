import type { Field } from '../declaration/field.js';
import { jsonValue } from '../sql/pieces.js';
import { refuse } from '../write/input-problem.js';
import { columnOf, type TraitOptions, traits } from './traits.js';

/** Options of a JSON field. */
export interface JsonOptions extends TraitOptions {
  /** Refuses a value by throwing an `InputProblem`. */
  readonly check?: (value: unknown) => void;
}

/** Any JSON value. */
export function json(options: JsonOptions = {}): Field<unknown> {
  const own = traits(options, null);
  return {
    kind: 'json',
    traits: own,
    column: (name) => ({ name, type: 'jsonb' }),
    json: (place) => [jsonValue(columnOf(place, place.name))],
    snapshot: (place) => [jsonValue(columnOf(place, place.name))],
    input: (value) => {
      if (value === null && !own.nullable) throw refuse('This field may not be null.');
      if (value !== null && hasNullCharacter(value)) throw refuse('Null characters are not allowed.');
      if (value !== null) options.check?.(value);
      return value;
    },
    schema: { read: () => ({}), write: () => ({}) },
    metadata: { type: 'field' },
    filters: () => [],
    order: (place) => [columnOf(place, place.name)],
  };
}

/** PostgreSQL's jsonb cannot hold U+0000, in keys or in texts. */
export function hasNullCharacter(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, item]) => key.includes('\0') || hasNullCharacter(item));
}
