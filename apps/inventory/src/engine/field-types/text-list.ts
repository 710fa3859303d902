import type { ListItemMetadata, ModelField, FieldInputContext } from '../declaration/field.js';
import type { ListFilter } from '../filter/filter-problem.js';
import { type JsonSchema, createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import {
  createJsonTextFragment,
  createJsonValueFragment,
  type JsonTextFragment,
  type SqlText,
} from '../sql/json-text-sql.js';
import {
  type FieldErrorMessages,
  InputProblem,
  createInvalidInputProblem,
  getJsonTypeName,
} from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Options of a field for a list of values such as texts or numbers. */
export interface ListFieldOptions<Item> extends FieldPropertyOptions<readonly Item[]> {
  /** Parses one item of the list. Throws an `InputProblem` if the item is invalid. */
  readonly item: (value: unknown, place: FieldInputContext) => Item;
  readonly itemSchema: JsonSchema;
  /** True to reject an empty list that a client sends. Default false. */
  readonly nonEmpty?: boolean;
  readonly columnType: 'text[]' | 'integer[]' | 'jsonb';
  /** Further properties of a list's items that the response to OPTIONS shows. */
  readonly child?: Partial<ListItemMetadata>;
  readonly filters?: (name: string) => readonly ListFilter[];
}

/**
 * Creates a field for a list of values such as texts or numbers, stored in one column. Error messages have the index of
 * the invalid item as key (docs/contract/inventory.md 1.5).
 */
export function createListField<Item>(
  options: ListFieldOptions<Item> & { readonly nullable: true },
): ModelField<readonly Item[] | null>;
export function createListField<Item>(options: ListFieldOptions<Item>): ModelField<readonly Item[]>;
export function createListField<Item>(options: ListFieldOptions<Item>): ModelField<readonly Item[] | null> {
  const own = addDefaultFieldProperties(options, []);
  const orNone = (wire: JsonSchema): JsonSchema => (own.nullable ? createNullableJsonSchema(wire) : wire);
  const schema = { type: 'array', items: options.itemSchema, ...(options.nonEmpty === true ? { minItems: 1 } : {}) };
  return {
    kind: 'list',
    traits: own,
    column: (name) => ({ name, type: options.columnType }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [
      options.columnType === 'text[]'
        ? createTextListSnapshotSql(createQualifiedColumnSql(place, place.name))
        : createJsonValueFragment(createQualifiedColumnSql(place, place.name)),
    ],
    input: (value, place) => (value === null && own.nullable ? null : parseListInput(value, place, options)),
    schema: { read: () => orNone({ type: 'array', items: options.itemSchema }), write: () => orNone(schema) },
    metadata: {
      type: 'list',
      child: { type: 'field', required: true, read_only: false, ...options.child },
    },
    filters: options.filters ?? (() => []),
    order: (place) => (options.columnType === 'jsonb' ? [] : [createQualifiedColumnSql(place, place.name)]),
  };
}

/**
 * Returns the SQL fragment that shows a list of texts as in change records (docs/contract/inventory.md 4). The list's
 * JSON text is within a JSON string.
 */
function createTextListSnapshotSql(column: SqlText): JsonTextFragment {
  return createJsonTextFragment(`to_jsonb(${column})::text`);
}

function parseListInput<Item>(
  value: unknown,
  place: FieldInputContext,
  options: ListFieldOptions<Item>,
): readonly Item[] {
  if (value === null) throw createInvalidInputProblem('This field may not be null.');
  if (!Array.isArray(value))
    throw createInvalidInputProblem(`Expected a list of items but got type "${getJsonTypeName(value)}".`);
  if (value.length === 0 && options.nonEmpty === true) throw createInvalidInputProblem('This list may not be empty.');
  const messages: Record<string, FieldErrorMessages> = {};
  const items: Item[] = [];
  value.forEach((item: unknown, index) => {
    try {
      items.push(options.item(item, place));
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      messages[String(index)] = error.messages;
    }
  });
  if (Object.keys(messages).length > 0) throw new InputProblem(messages);
  return items;
}

function capitalizeFieldName(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Creates a field for a list of values, each from a fixed set of choices. The error message for an unknown value
 * contains the value in quotes.
 */
export function choiceListField(
  choices: Readonly<Record<string, string>>,
  options: FieldPropertyOptions<readonly string[]> & {
    nonEmpty?: boolean;
    filters?: (name: string) => readonly ListFilter[];
  } = {},
): ModelField<readonly string[]> {
  return createListField({
    ...options,
    columnType: 'text[]',
    itemSchema: { type: 'string', enum: Object.keys(choices) },
    child: {
      type: 'choice',
      ...(options.label === undefined ? {} : { label: capitalizeFieldName(options.label) }),
      choices: Object.entries(choices).map(([value, display_name]) => ({ value, display_name })),
    },
    item: (value) => {
      if (typeof value === 'string' && Object.hasOwn(choices, value)) return value;
      throw createInvalidInputProblem(
        `"${typeof value === 'object' ? JSON.stringify(value) : String(value)}" is not a valid choice.`,
      );
    },
  });
}
