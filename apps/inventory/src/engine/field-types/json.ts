import type { ModelField } from '../declaration/field.js';
import { createJsonValueFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem, getJsonTypeName } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

export interface JsonFieldOptions extends FieldPropertyOptions {
  /** Validates the JSON value that a client sent for the field. Throws an `InputProblem` if the value is invalid. */
  readonly check?: (value: unknown) => void;
  /** Name of the database column that stores the field, if that name differs from the field's name. */
  readonly source?: string;
  /**
   * True to merge a JSON object that a client sent into the stored JSON object. Clients then send only the keys that
   * change.
   */
  readonly merged?: boolean;
}

/** Creates a field for any JSON value. */
export function jsonField(options: JsonFieldOptions = {}): ModelField<unknown> {
  const own = addDefaultFieldProperties(options, null);
  const source = (name: string): string => options.source ?? name;
  return {
    kind: 'json',
    traits: own,
    column: (name) => ({ name: source(name), type: 'jsonb' }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, source(place.name)))],
    snapshot: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, source(place.name)))],
    input: (value) => {
      if (value === null && !own.nullable) throw createInvalidInputProblem('This field may not be null.');
      if (value !== null && hasNullCharacter(value))
        throw createInvalidInputProblem('Null characters are not allowed.');
      if (value !== null && options.merged === true && !isJsonObject(value)) {
        throw createInvalidInputProblem(`Expected a dictionary of items but got type "${getJsonTypeName(value)}".`);
      }
      if (value !== null) options.check?.(value);
      return value;
    },
    schema: { read: () => ({}), write: () => ({}) },
    metadata: { type: 'field' },
    filters: () => [],
    order: (place) => [createQualifiedColumnSql(place, source(place.name))],
    ...(options.merged === true ? { combine: mergeJsonObjects } : {}),
  };
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Throws an `InputProblem` if a value is not a JSON object. */
export function rejectUnlessJsonObject(value: unknown): void {
  if (!isJsonObject(value)) throw createInvalidInputProblem('Expected an object.');
}

/** Returns a copy of the stored JSON object in which the keys that the client sent have the sent values. */
function mergeJsonObjects(before: unknown, sent: unknown): unknown {
  return isJsonObject(before) && isJsonObject(sent) ? { ...before, ...sent } : sent;
}

/** Returns true if a JSON value contains the character U+0000, which jsonb cannot store. */
export function hasNullCharacter(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, item]) => key.includes('\0') || hasNullCharacter(item));
}
