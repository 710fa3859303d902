import { isTypeName } from '../declaration/model-type-name.js';
import type { ModelField, FieldMetadata, FieldInputContext } from '../declaration/field.js';
import { objectTypeFilter, objectTypeListFilter } from '../filter/object-type-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import {
  createJsonValueFragment,
  type JsonTextFragment,
  type SqlText,
  createComputedJsonFragment,
} from '../sql/json-text-sql.js';
import { InputProblem, createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createListField } from './text-list.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Models (`<app>.<model>`) that a field accepts: a list of names, or a function that returns the list. */
export type AllowedModelNames = readonly string[] | ((place: FieldInputContext) => readonly string[]);

export interface ObjectTypeFieldOptions extends FieldPropertyOptions<string | null> {
  /** Models that the response to OPTIONS lists as choices of the field. Default: no models. */
  readonly choices?: FieldMetadata['choices'];
}

/** Creates a field whose value is the name of a model, stored and shown as `<app>.<model>`. */
export function objectTypeField(
  allowed: AllowedModelNames,
  options: ObjectTypeFieldOptions = {},
): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, null);
  const schema = { type: 'string' };
  const wire = own.nullable ? createNullableJsonSchema(schema) : schema;
  return {
    kind: 'objectType',
    traits: own,
    column: (name) => ({ name, type: 'varchar' }),
    json: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    snapshot: (place) => [createModelIdJsonSql(createQualifiedColumnSql(place, place.name))],
    input: (value, place) => {
      if (own.nullable && (value === null || value === '')) return null;
      return parseModelName(value, allowed, place);
    },
    schema: { read: () => wire, write: () => wire },
    metadata: { type: 'field', ...(options.choices === undefined ? {} : { choices: options.choices }) },
    filters: (name) => [objectTypeFilter(name)],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

/** Creates a field for a list of model names, each of the form `<app>.<model>`. */
export function objectTypeListField(
  allowed: AllowedModelNames,
  options: FieldPropertyOptions<readonly string[]> & { filterName?: string } = {},
): ModelField<readonly string[]> {
  const field = createListField({
    ...options,
    columnType: 'text[]',
    itemSchema: { type: 'string' },
    item: (value, place) => parseModelName(value, allowed, place),
    filters: (name) => (options.filterName === undefined ? [] : [objectTypeListFilter(options.filterName, name)]),
  });
  return {
    ...field,
    input: (value, place) => reportFirstListProblem(() => field.input(value, place)),
    metadata: { type: 'field' },
    snapshot: (place) => {
      const type = place.scope.alias();
      const numbers = `SELECT json_agg(object_type_id(${type}) ORDER BY object_type_id(${type})) FROM unnest(${createQualifiedColumnSql(place, place.name)}) ${type}`;
      return [createComputedJsonFragment(`coalesce((${numbers})::text, '[]')`)];
    },
  };
}

/**
 * Runs `read`, the parser of a list. If items are invalid, reports only the first one, without its index. The reference
 * API does the same for lists of models.
 */
function reportFirstListProblem<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputProblem) || Array.isArray(error.messages)) throw error;
    const [first] = Object.values(error.messages);
    throw new InputProblem(typeof first === 'object' ? first : []);
  }
}

/**
 * Returns the SQL fragment that shows a model's numeric id as JSON text. Change records contain this id instead of the
 * model's name (docs/contract/inventory.md 4).
 */
function createModelIdJsonSql(column: SqlText): JsonTextFragment {
  return createComputedJsonFragment(
    `CASE WHEN ${column} IS NULL THEN 'null' ELSE coalesce(object_type_id(${column})::text, 'null') END`,
  );
}

function parseModelName(value: unknown, allowed: AllowedModelNames, place: FieldInputContext): string {
  if (value === null || value === '') throw createInvalidInputProblem('This field may not be null.');
  if (typeof value !== 'string' || !isTypeName(value)) {
    throw createInvalidInputProblem("Invalid value. Specify a content type as '<app_label>.<model_name>'.");
  }
  const types = typeof allowed === 'function' ? allowed(place) : allowed;
  if (!types.includes(value)) throw createInvalidInputProblem(`Invalid content type: ${value}`);
  return value;
}
