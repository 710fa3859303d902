import type { ModelField } from '../declaration/field.js';
import { booleanFilter } from '../filter/boolean-filter.js';
import { createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

const trueInputWords = new Set(['t', 'y', 'yes', 'true', 'on', '1']);
const falseInputWords = new Set(['f', 'n', 'no', 'false', 'off', '0']);

/** Creates a boolean field. Requests may also contain words such as `yes` and `off`, or 0 and 1. */
export function booleanField(options: FieldPropertyOptions<boolean> = {}): ModelField<boolean> {
  const own = addDefaultFieldProperties(options, false);
  return {
    kind: 'boolean',
    traits: own,
    column: (name) => ({ name, type: 'boolean' }),
    json: (place) => [createComputedJsonFragment(`${createQualifiedColumnSql(place, place.name)}::text`)],
    snapshot: (place) => [createComputedJsonFragment(`${createQualifiedColumnSql(place, place.name)}::text`)],
    input: parseBooleanInput,
    schema: { read: () => ({ type: 'boolean' }), write: () => ({ type: 'boolean' }) },
    metadata: { type: 'boolean' },
    filters: (name) => [booleanFilter(name, (alias) => `${alias}."${name}"`)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

/**
 * Parses a boolean value from a request by the rules of the reference API (NetBox), including words such as `yes`.
 *
 * @throws InputProblem if the value is not a boolean
 */
export function parseBooleanInput(value: unknown): boolean {
  if (value === null) throw createInvalidInputProblem('This field may not be null.');
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  if (trueInputWords.has(word)) return true;
  if (falseInputWords.has(word)) return false;
  throw createInvalidInputProblem('Must be a valid boolean.');
}
