import type { ModelField, FieldPartsStorage } from '../declaration/field.js';
import { isTypeName } from '../declaration/model-type-name.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import {
  joinJsonFragmentsIntoSql,
  createJsonObjectFragments,
  createJsonStringFragment,
  createComputedJsonFragment,
  type SqlText,
} from '../sql/json-text-sql.js';
import {
  InputProblem,
  createNotAListProblem,
  parseEachListItem,
  createInvalidInputProblem,
  getJsonTypeName,
} from '../write/invalid-input-problem.js';
import { listNestedSchemasOfModels, createGenericObjectJsonSql } from './generic-object.js';
import { addDefaultFieldProperties } from './field-traits.js';

/**
 * Options of a field that shows a list of objects of several models. Each row of a separate table assigns one object to
 * the list.
 */
export interface GenericReferenceListFieldOptions {
  readonly table: string;
  /** Name of the column that contains the id of the object to which the list belongs. */
  readonly own: string;
  readonly type: string;
  readonly id: string;
  readonly allowed: readonly string[];
  /** Returns the SQL condition for the assignment rows that belong to the list. Default: all rows. */
  readonly where?: (alias: string) => SqlText;
  /**
   * Returns the SQL expression by which the items of a list are sorted, given the table alias of the assignment rows.
   */
  readonly order: (alias: string) => SqlText;
  /** Database function that stores a list of objects of several models; see `Field.storedBy`. */
  readonly storedBy: FieldPartsStorage;
}

/** One item of a list of objects of several models, as clients send the item. */
export interface GenericReferenceItem {
  readonly type: string;
  readonly id: number;
}

/**
 * Creates a field for a list of objects of several models, each item shown as `{object_type, object_id, object}`.
 * Clients write the whole list, and omit `object`.
 */
export function genericReferenceListField(
  options: GenericReferenceListFieldOptions,
): ModelField<readonly GenericReferenceItem[]> {
  const rows = (own: string, row: string): SqlText =>
    `FROM ${options.table} ${row} WHERE ${row}.${options.own} = ${own}.id${options.where === undefined ? '' : ` AND ${options.where(row)}`}`;
  return {
    kind: 'genericList',
    traits: addDefaultFieldProperties({}, []),
    column: () => null,
    json: ({ alias, scope }) => {
      const row = scope.alias();
      const own = { type: `${row}.${options.type}`, id: `${row}.${options.id}` };
      const item = joinJsonFragmentsIntoSql(
        createJsonObjectFragments([
          ['object_type', [createJsonStringFragment(own.type)]],
          ['object_id', [createComputedJsonFragment(own.id)]],
          [
            'object',
            [
              createComputedJsonFragment(
                `coalesce(${createGenericObjectJsonSql(scope, options.allowed, own) ?? 'NULL::text'}, 'null')`,
              ),
            ],
          ],
        ]),
      );
      return [
        createComputedJsonFragment(
          `concat('[', (SELECT string_agg(${item}, ', ' ORDER BY ${options.order(row)}) ${rows(alias, row)}), ']')`,
        ),
      ];
    },
    snapshot: ({ alias, scope }) => {
      const row = scope.alias();
      return [
        createComputedJsonFragment(
          `coalesce((SELECT json_agg(${row}.id ORDER BY ${row}.id) ${rows(alias, row)})::text, '[]')`,
        ),
      ];
    },
    input: (value) => parseGenericReferenceItems(value, options.allowed),
    schema: {
      read: (registry) =>
        createReferenceListSchema({
          object: { anyOf: [...listNestedSchemasOfModels(registry, options.allowed), { type: 'null' }] },
        }),
      write: () => createReferenceListSchema({}),
    },
    metadata: {
      type: 'field',
      child: { type: 'nested object', required: false, read_only: false, children: listItemMemberMetadata },
    },
    filters: () => [],
    order: () => [],
    storedBy: { ...options.storedBy, ...(options.where && { where: options.where }) },
  };
}

const createListItemMemberMetadata = (type: string, label: string, readOnly = false) => ({
  type,
  required: !readOnly,
  read_only: readOnly,
  label,
});

/** Descriptions of the members of a list item, for the response to OPTIONS. */
const listItemMemberMetadata = {
  object_type: createListItemMemberMetadata('field', 'Object type'),
  object_id: createListItemMemberMetadata('integer', 'Object id'),
  object: createListItemMemberMetadata('field', 'Object', true),
};

function createReferenceListSchema(more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const properties = { object_type: { type: 'string' }, object_id: { type: 'integer' }, ...more };
  const closed = Object.keys(more).length > 0;
  return {
    type: 'array',
    items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: !closed },
  };
}

function parseGenericReferenceItems(value: unknown, allowed: readonly string[]): readonly GenericReferenceItem[] {
  if (value === null) throw createInvalidInputProblem('This field may not be null.');
  if (!Array.isArray(value)) throw createNotAListProblem(value);
  const items = parseEachListItem(value, (given: unknown) => parseGenericReferenceItem(given, allowed));
  const distinct = new Map(items.map((item) => [`${item.type} ${item.id}`, item]));
  return [...distinct.values()];
}

function parseGenericReferenceItem(given: unknown, allowed: readonly string[]): GenericReferenceItem {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new InputProblem({
      non_field_errors: [`Invalid data. Expected a dictionary, but got ${getJsonTypeName(given)}.`],
    });
  }
  const type = parseObjectTypeInput(Reflect.get(given, 'object_type'), allowed);
  const id = parseObjectIdInput(Reflect.get(given, 'object_id'));
  if (typeof type === 'string' && typeof id === 'number') return { type, id };
  throw new InputProblem({
    ...(typeof type === 'string' ? {} : { object_type: type }),
    ...(typeof id === 'number' ? {} : { object_id: id }),
  });
}

function parseObjectTypeInput(value: unknown, allowed: readonly string[]): string | readonly string[] {
  if (value === undefined) return ['This field is required.'];
  if (value === null) return ['This field may not be null.'];
  if (typeof value !== 'string' || !isTypeName(value)) {
    return ["Invalid value. Specify a content type as '<app_label>.<model_name>'."];
  }
  return allowed.includes(value) ? value : [`Invalid content type: ${value}`];
}

function parseObjectIdInput(value: unknown): number | readonly string[] {
  if (value === undefined) return ['This field is required.'];
  if (value === null) return ['This field may not be null.'];
  const id = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : ['A valid integer is required.'];
}
