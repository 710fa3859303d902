import type { ModelField } from '../declaration/field.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { hasNullCharacter } from './json.js';
import { createListField, type ListFieldOptions } from './text-list.js';
import { parseIntegerInput } from './number.js';
import { parseTextInput } from './text.js';

type PlainListFieldOptions<Item> = Omit<ListFieldOptions<Item>, 'item' | 'itemSchema' | 'columnType' | 'nullable'> & {
  readonly nullable?: boolean;
};

/** Creates a field for a list of non-blank texts, stored as `text[]`. */
export function textListField(
  options: PlainListFieldOptions<string> & { readonly max?: number } = {},
): ModelField<readonly string[]> {
  const { max } = options;
  return createListField<string>({
    ...options,
    columnType: 'text[]',
    child: { type: 'string', ...(max === undefined ? {} : { max_length: max }), ...options.child },
    itemSchema: { type: 'string', minLength: 1, ...(max === undefined ? {} : { maxLength: max }) },
    item: (value) =>
      parseTextInput(value, { ...(max === undefined ? {} : { max }), blank: false, nullable: false }) ?? '',
  });
}

/**
 * Creates a field for a list of whole numbers, stored as `integer[]`. The minimum and maximum are themselves allowed
 * values.
 */
export function integerListField(
  options: PlainListFieldOptions<number> & { readonly min?: number; readonly max?: number } = {},
): ModelField<readonly number[]> {
  const { min, max } = options;
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return createListField<number>({
    ...options,
    columnType: 'integer[]',
    child: {
      type: 'integer',
      ...(min === undefined ? {} : { min_value: min }),
      ...(max === undefined ? {} : { max_value: max }),
      ...options.child,
    },
    itemSchema: {
      type: 'integer',
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
    item: (value) => parseIntegerInput(value, bounds, false) ?? 0,
  });
}

/** Creates a field for a list of arbitrary JSON values, stored as `jsonb`. */
export function jsonListField(options: PlainListFieldOptions<unknown> = {}): ModelField<readonly unknown[]> {
  return createListField<unknown>({
    ...options,
    columnType: 'jsonb',
    itemSchema: {},
    item: (value) => {
      if (hasNullCharacter(value)) throw createInvalidInputProblem('Null characters are not allowed.');
      return value;
    },
  });
}
