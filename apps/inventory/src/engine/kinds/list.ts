import type { Field, InputPlace } from '../declaration/field.js';
import type { Filter } from '../filter/filter.js';
import { type JsonSchema, orNull } from '../meta/json-schema.js';
import { jsonValue } from '../sql/pieces.js';
import { type FieldMessages, InputProblem, refuse, typeName } from '../write/input-problem.js';
import { columnOf, type TraitOptions, traits } from './traits.js';

/** What a list holds and how it is stored. */
export interface ListOptions<Item> extends TraitOptions<readonly Item[]> {
  /** Reads one item; throws an `InputProblem`. */
  readonly item: (value: unknown, place: InputPlace) => Item;
  readonly itemSchema: JsonSchema;
  /** Whether an empty list is refused. */
  readonly nonEmpty?: boolean;
  readonly columnType: 'text[]' | 'integer[]' | 'jsonb';
  readonly choices?: readonly { readonly value: string; readonly display_name: string }[];
  readonly filters?: (name: string) => readonly Filter[];
}

/** A list of plain values, kept with the object. Messages about items are keyed by their index (contract 1.5). */
export function list<Item>(options: ListOptions<Item> & { readonly nullable: true }): Field<readonly Item[] | null>;
export function list<Item>(options: ListOptions<Item>): Field<readonly Item[]>;
export function list<Item>(options: ListOptions<Item>): Field<readonly Item[] | null> {
  const own = traits(options, []);
  const orNone = (wire: JsonSchema): JsonSchema => (own.nullable ? orNull(wire) : wire);
  const schema = { type: 'array', items: options.itemSchema, ...(options.nonEmpty === true ? { minItems: 1 } : {}) };
  return {
    kind: 'list',
    traits: own,
    column: (name) => ({ name, type: options.columnType }),
    json: (place) => [jsonValue(columnOf(place, place.name))],
    snapshot: (place) => [jsonValue(columnOf(place, place.name))],
    input: (value, place) => (value === null && own.nullable ? null : readList(value, place, options)),
    schema: { read: () => orNone({ type: 'array', items: options.itemSchema }), write: () => orNone(schema) },
    metadata: {
      type: 'list',
      child: { type: 'field', required: true, read_only: false },
      ...(options.choices === undefined ? {} : { choices: options.choices }),
    },
    filters: options.filters ?? (() => []),
    order: (place) => (options.columnType === 'jsonb' ? [] : [columnOf(place, place.name)]),
  };
}

function readList<Item>(value: unknown, place: InputPlace, options: ListOptions<Item>): readonly Item[] {
  if (value === null) throw refuse('This field may not be null.');
  if (!Array.isArray(value)) throw refuse(`Expected a list of items but got type "${typeName(value)}".`);
  if (value.length === 0 && options.nonEmpty === true) throw refuse('This list may not be empty.');
  const messages: Record<string, FieldMessages> = {};
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

/** A list of values out of a fixed set; the message quotes a value that is not in it. */
export function choiceList(
  choices: Readonly<Record<string, string>>,
  options: TraitOptions<readonly string[]> & { nonEmpty?: boolean; filters?: (name: string) => readonly Filter[] } = {},
): Field<readonly string[]> {
  return list({
    ...options,
    columnType: 'text[]',
    itemSchema: { type: 'string', enum: Object.keys(choices) },
    choices: Object.entries(choices).map(([value, display_name]) => ({ value, display_name })),
    item: (value) => {
      if (typeof value === 'string' && Object.hasOwn(choices, value)) return value;
      throw refuse(`"${typeof value === 'object' ? JSON.stringify(value) : String(value)}" is not a valid choice.`);
    },
  });
}
