import type { ModelField, OwnedRowsTable, FieldSqlContext } from '../declaration/field.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import {
  quoteSqlIdentifier,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import {
  type FieldErrorMessages,
  InputProblem,
  createNotAListProblem,
  parseEachListItem,
  createInvalidInputProblem,
  getJsonTypeName,
} from '../write/invalid-input-problem.js';
import { parseIntegerInput } from './number.js';
import { parsePrimaryKey } from './relation.js';
import { type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Declaration of one of the numbers that each row of a list field contains. */
interface RowListNumberOptions {
  readonly column: string;
  /** Model (`<app>.<model>`) of the object whose id the number is. Absent if the number is not an id. */
  readonly to?: string;
  readonly min?: number;
  readonly max?: number;
  /**
   * Default value of a number in a row if the request omits the number. Without a default value, the number is
   * required.
   */
  readonly default?: number;
}

/** Options of a field that contains a list of rows, each of which consists of numbers. */
export interface RowListFieldOptions extends FieldPropertyOptions<readonly RowListItem[]> {
  readonly table: string;
  /** Name of the column that contains the id of the object to which a row of the list belongs. */
  readonly own: string;
  /**
   * Declarations of the numbers in each row of the list, by the number's name in the API. Rows are sorted by the first
   * declared number.
   */
  readonly parts: Readonly<Record<string, RowListNumberOptions>>;
}

/** One row of a list field: its numbers, by column name. */
export type RowListItem = Readonly<Record<string, number>>;

/**
 * Creates a field for a list of rows that belong to the object. Each row consists of numbers, and a separate table
 * stores the rows. A write replaces the whole list. Error messages have one entry for each row
 * (docs/contract/inventory.md 1.5).
 */
export function rowListField({
  table,
  own,
  parts,
  ...options
}: RowListFieldOptions): ModelField<readonly RowListItem[]> {
  const entries = Object.entries(parts);
  const stored: OwnedRowsTable = {
    table,
    own,
    columns: entries.map(([name, { column, to }]) => ({
      name: column,
      part: name,
      ...(to === undefined ? {} : { to }),
    })),
  };
  const schema = createRowListItemSchema(entries);
  return {
    kind: 'rows',
    traits: addDefaultFieldProperties(options, []),
    column: () => null,
    json: (place) => [
      createConstantJsonFragment('['),
      createComputedJsonFragment(createRowListJsonSql(place, stored)),
      createConstantJsonFragment(']'),
    ],
    snapshot: (place) => [
      createConstantJsonFragment('['),
      createComputedJsonFragment(createRowListJsonSql(place, stored)),
      createConstantJsonFragment(']'),
    ],
    input: (value, place) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (!Array.isArray(value)) throw createNotAListProblem(value);
      return parseEachListItem(value, (item) => {
        if (item === null || typeof item !== 'object' || Array.isArray(item)) {
          throw new InputProblem({
            non_field_errors: [`Invalid data. Expected a dictionary, but got ${getJsonTypeName(item)}.`],
          });
        }
        const sent = new Map<string, unknown>(Object.entries(item));
        const read = parseEntriesOfRow(entries, ([name, part]) => {
          const given = sent.get(name) ?? (sent.has(name) ? null : part.default);
          if (given === undefined) throw createInvalidInputProblem('This field is required.');
          if (part.to === undefined) return parseIntegerInput(given, part, false) ?? 0;
          if (given === null) throw createInvalidInputProblem('This field may not be null.');
          return parsePrimaryKey(given, part.to, place).id;
        });
        return Object.fromEntries(entries.map(([, { column }], index) => [column, read[index] ?? 0]));
      });
    },
    schema: { read: () => schema(true), write: () => schema(false) },
    metadata: {
      type: 'field',
      child: {
        type: 'nested object',
        required: false,
        read_only: false,
        children: Object.fromEntries(entries.map(([name, part]) => [name, createRowNumberMetadata(name, part)])),
      },
    },
    filters: () => [],
    order: () => [],
    rows: stored,
  };
}

/** Returns the properties that the response to OPTIONS shows for one number of a list's rows. */
function createRowNumberMetadata(name: string, { to, min, max, default: fallback }: RowListNumberOptions): object {
  const words = name.replaceAll('_', ' ');
  return {
    type: to === undefined ? 'integer' : 'field',
    required: fallback === undefined,
    read_only: false,
    label: words.charAt(0).toUpperCase() + words.slice(1),
    ...(min === undefined ? {} : { min_value: min }),
    ...(max === undefined ? {} : { max_value: max }),
  };
}

function createRowListItemSchema(
  entries: readonly (readonly [string, RowListNumberOptions])[],
): (whole: boolean) => JsonSchema {
  return (whole) => ({
    type: 'array',
    items: {
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([name, { min, max }]) => [
          name,
          {
            type: 'integer',
            ...(min === undefined ? {} : { minimum: min }),
            ...(max === undefined ? {} : { maximum: max }),
          },
        ]),
      ),
      required: entries.flatMap(([name, part]) => (whole || part.default === undefined ? [name] : [])),
      ...(whole ? { additionalProperties: false } : {}),
    },
  });
}

/**
 * Returns the SQL expression of the rows of a list field, as JSON objects joined by commas. The result is an empty string
 * for an empty list.
 */
function createRowListJsonSql({ alias, scope }: FieldSqlContext, { table, own, columns }: OwnedRowsTable): SqlText {
  const row = scope.alias();
  const members = columns.map(
    ({ name, part }) => `${quoteSqlLiteral(`${JSON.stringify(part)}: `)}, ${row}.${quoteSqlIdentifier(name)}`,
  );
  const [first] = columns;
  const by = `${row}.${quoteSqlIdentifier(first?.name ?? own)}`;
  return `coalesce((SELECT string_agg(concat('{', ${members.join(`, ', ', `)}, '}'), ', ' ORDER BY ${by})
    FROM ${table} ${row} WHERE ${row}.${own} = ${alias}.id), '')`;
}

function parseEntriesOfRow<Entry extends readonly [string, unknown], Read>(
  entries: readonly Entry[],
  read: (entry: Entry) => Read,
): Read[] {
  const messages: Record<string, FieldErrorMessages> = {};
  const values = entries.flatMap((entry) => {
    try {
      return [read(entry)];
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      messages[entry[0]] = error.messages;
      return [];
    }
  });
  if (Object.keys(messages).length > 0) throw new InputProblem(messages);
  return values;
}
