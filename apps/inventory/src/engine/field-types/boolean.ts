import type { Field } from '../declaration/field.js';
import { booleanFilter } from '../filter/boolean-filter.js';
import { sql } from '../sql/pieces.js';
import { invalidInput } from '../write/input-problem.js';
import { columnOf, type TraitOptions, traits } from './traits.js';

const wordsForTrue = new Set(['t', 'y', 'yes', 'true', 'on', '1']);
const wordsForFalse = new Set(['f', 'n', 'no', 'false', 'off', '0']);

/** Creates a boolean field. Accepts words such as `yes` and `off`, and 0 and 1. */
export function boolean(options: TraitOptions<boolean> = {}): Field<boolean> {
  const own = traits(options, false);
  return {
    kind: 'boolean',
    traits: own,
    column: (name) => ({ name, type: 'boolean' }),
    json: (place) => [sql(`${columnOf(place, place.name)}::text`)],
    snapshot: (place) => [sql(`${columnOf(place, place.name)}::text`)],
    input: readBoolean,
    schema: { read: () => ({ type: 'boolean' }), write: () => ({ type: 'boolean' }) },
    metadata: { type: 'boolean' },
    filters: (name) => [booleanFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [columnOf(place, place.name)],
  };
}

/**
 * Parses a boolean as the reference API does, including words such as `yes`.
 *
 * @throws InputProblem if the value is not a boolean
 */
export function readBoolean(value: unknown): boolean {
  if (value === null) throw invalidInput('This field may not be null.');
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  if (wordsForTrue.has(word)) return true;
  if (wordsForFalse.has(word)) return false;
  throw invalidInput('Must be a valid boolean.');
}
