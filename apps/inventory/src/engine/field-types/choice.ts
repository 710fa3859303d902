import type { ModelField } from '../declaration/field.js';
import { choiceFilter } from '../filter/choice-filter.js';
import { excludeLookups } from '../filter/string-filter.js';
import { type JsonSchema, createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonValueFragment, quoteSqlLiteral, createComputedJsonFragment } from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Map from the values of a choice field to the labels, in the display order. */
export type LabelByChoiceValue = Readonly<Record<string, string>>;

export interface ChoiceFieldOptions extends FieldPropertyOptions<string | number | null> {
  /**
   * True to represent a value in responses by the plain value instead of `{value, label}` (docs/contract/inventory.md
   * 1.4).
   */
  readonly raw?: boolean;
  /** True if the values of the choice field are integers. */
  readonly numeric?: boolean;
  /**
   * True if the field's filter uses only one value. If a request contains several values, the filter uses the last
   * value.
   */
  readonly filterSingle?: boolean;
  /** True if a nullable choice field can be cleared only with null. The empty string '' is then rejected. */
  readonly rejectsBlank?: boolean;
}

/** Creates a choice field, which has a fixed set of values. A request value that clears the field is stored as null. */
export function choiceField(
  choices: LabelByChoiceValue,
  options: ChoiceFieldOptions = {},
): ModelField<string | number | null> {
  const own = addDefaultFieldProperties(options, null);
  const values = Object.keys(choices).map((key) => (options.numeric === true ? Number(key) : key));
  const bare: JsonSchema = { type: options.numeric === true ? 'integer' : 'string', enum: values };
  const pair: JsonSchema = {
    type: 'object',
    properties: { value: bare, label: { type: 'string', enum: Object.values(choices) } },
    required: ['value', 'label'],
    additionalProperties: false,
  };
  const shown = options.raw === true ? bare : pair;
  const cleared = own.nullable ? (options.rejectsBlank === true ? [null] : ['' as const, null]) : [];
  return {
    kind: 'choice',
    traits: own,
    column: (name) => ({ name, type: options.numeric === true ? 'integer' : 'varchar' }),
    json: (place) => [
      options.raw === true
        ? createJsonValueFragment(createQualifiedColumnSql(place, place.name))
        : createComputedJsonFragment(
            createChoiceWithLabelSql(createQualifiedColumnSql(place, place.name), choices, options.numeric === true),
          ),
    ],
    snapshot: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => parseChoiceInput(value, values, { cleared, quoted: options.raw === true }),
    schema: {
      read: () => (own.nullable ? createNullableJsonSchema(shown) : shown),
      write: () =>
        cleared.length === 0
          ? bare
          : { ...bare, type: [bare.type ?? 'string', 'null'].flat(), enum: [...values, ...cleared] },
    },
    metadata: {
      type: options.raw === true ? 'choice' : 'field',
      choices: values.map((value) => ({ value, display_name: choices[String(value)] ?? String(value) })),
    },
    filters: (name) => {
      const filter = choiceFilter(name, values, own.nullable);
      const fitting = options.numeric === true ? excludeLookups(filter, 'empty') : filter;
      return [options.filterSingle === true ? { ...fitting, multiple: false } : fitting];
    },
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

/**
 * Maximum number of choices for which the SQL is a CASE expression that compares one choice after another. For more
 * choices, the SQL looks up the label in a JSON object, which is then faster.
 */
const maxChoicesInCaseExpression = 8;

/** Returns the SQL expression that converts the column of a choice field to `{value, label}` as JSON text. */
export function createChoiceWithLabelSql(column: string, choices: LabelByChoiceValue, numeric: boolean): string {
  const entries = Object.entries(choices);
  const isPlain = !numeric && entries.every(([value]) => JSON.stringify(value) === `"${value}"`);
  if (isPlain && entries.length > maxChoicesInCaseExpression) {
    // Only labels are listed, to keep the statement short: the server copies its text at each execution.
    const labels = Object.fromEntries(entries.map(([value, label]) => [value, JSON.stringify(label)]));
    // A stored value that is no longer a choice is its own label.
    const label = `coalesce(${quoteSqlLiteral(JSON.stringify(labels))}::jsonb ->> ${column}::text, to_json(${column})::text)`;
    return `coalesce('{"value": "' || ${column} || '", "label": ' || (${label}) || '}', 'null')`;
  }
  const cases = entries.map(([value, label]) => {
    const pair = `{"value": ${numeric ? value : JSON.stringify(value)}, "label": ${JSON.stringify(label)}}`;
    return `WHEN ${numeric ? value : quoteSqlLiteral(value)} THEN ${quoteSqlLiteral(pair)}`;
  });
  return `CASE ${column} ${cases.join(' ')} ELSE 'null' END`;
}

/**
 * Parses the value of a choice field in a request. With `quoted`, the error message shows an unknown value in quotes.
 */
function parseChoiceInput<V extends string | number>(
  value: unknown,
  values: readonly V[],
  { cleared, quoted }: { readonly cleared: readonly ('' | null)[]; readonly quoted: boolean },
): V | null {
  if (value === null || value === '') {
    if (cleared.includes(value)) return null;
    if (!quoted) throw createInvalidInputProblem('This field may not be blank.');
    throw createInvalidInputProblem(value === null ? 'This field may not be null.' : '"" is not a valid choice.');
  }
  if (typeof value === 'object') {
    throw createInvalidInputProblem(
      'Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.',
    );
  }
  const found = values.find((candidate) => String(candidate) === String(value));
  if (found === undefined || typeof value === 'boolean') {
    throw createInvalidInputProblem(`${quoted ? JSON.stringify(String(value)) : String(value)} is not a valid choice.`);
  }
  return found;
}
