import type { ModelField, SortValueTableSql, FieldSqlContext } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ListFilter } from '../filter/filter-problem.js';
import { integerFilter } from '../filter/number-filter.js';
import type { JsonSchema } from '../meta/json-schema-of-values.js';
import {
  createJsonTextFragment,
  quoteSqlLiteral,
  type JsonTextFragment,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { addDefaultFieldProperties } from './field-traits.js';

export interface ComputedFieldOptions {
  readonly json: (place: FieldSqlContext) => readonly JsonTextFragment[];
  readonly schema: JsonSchema;
  readonly metadataType?: string;
  readonly choices?: readonly { readonly value: string | number; readonly display_name: string }[];
  readonly filters?: (name: string) => readonly ListFilter[];
  readonly order?: (place: FieldSqlContext) => readonly string[];
  /**
   * Table expression and column by which objects are sorted when a list is ordered by the computed field; see
   * {@link ModelField.orderedBy}.
   */
  readonly orderedBy?: SortValueTableSql;
  /** True if change records contain the computed field. False by default. */
  readonly inSnapshot?: boolean;
  readonly label?: string;
  /** True if the computed field's value can be null. False by default. */
  readonly nullable?: boolean;
  /** True if the query parameter `exclude` can omit the computed field. */
  readonly excludable?: boolean;
}

/** Creates a read-only field whose value an SQL expression computes. */
export function computedField(options: ComputedFieldOptions, kind = 'computed'): ModelField<never> {
  return {
    kind,
    traits: addDefaultFieldProperties({ ...options, readOnly: true }, null),
    column: () => null,
    json: options.json,
    snapshot: (place) => (options.inSnapshot === true ? options.json(place) : null),
    input: () => {
      throw createInvalidInputProblem('This field cannot be written.');
    },
    schema: { read: () => options.schema, write: () => options.schema },
    metadata: {
      type: options.metadataType ?? 'field',
      ...(options.choices === undefined ? {} : { choices: options.choices }),
    },
    filters: options.filters ?? (() => []),
    order: options.order ?? (() => []),
    ...(options.orderedBy === undefined ? {} : { orderedBy: options.orderedBy }),
  };
}

export interface ReferringObjectCountFieldOptions {
  /** Name of the field through which the counted objects refer to the object that shows the count. */
  readonly via: string;
  /** True if the count of a tree node also includes objects that refer to descendants of the node. */
  readonly cumulative?: boolean;
  /**
   * Name of the counted model's field that contains the model of the referenced object. Set only if the counted objects
   * refer through a generic reference.
   */
  readonly typeField?: string;
  /** True if clients can filter lists by the count of referring objects. Default false. */
  readonly filter?: boolean;
  /**
   * True if database triggers of `keep_reference_count` store and update the count of referring objects. Nested objects
   * show a stored count. They show a count that is not stored as 0 (docs/contract/inventory.md 1.4).
   */
  readonly stored?: boolean;
  /**
   * Type that the response to OPTIONS shows for the count field: `integer` for a count stored in a column. Default:
   * `field`.
   */
  readonly metadataType?: 'integer';
}

/**
 * Creates a field that shows how many objects of another model refer to the object with the field. The count is 0 if
 * the other model is not declared.
 */
export function referringObjectCountField(type: string, options: ReferringObjectCountFieldOptions): ModelField<never> {
  const count = ({ scope, model, alias }: FieldSqlContext): SqlText | null => {
    const target = scope.registry.find(type);
    return target === null
      ? null
      : createReferringObjectCountSql(target, options, model, alias, [scope.alias(), scope.alias()]);
  };
  const field = computedField(
    {
      json: (place) => {
        const expression = count(place);
        return [expression === null ? createConstantJsonFragment('0') : createComputedJsonFragment(expression)];
      },
      order: (place) => {
        const expression = count(place);
        return expression === null ? [] : [expression];
      },
      schema: { type: 'integer', format: 'int64' },
      metadataType: options.metadataType ?? 'field',
    },
    options.stored === true ? 'counter' : 'count',
  );
  if (options.filter !== true) return field;
  return {
    ...field,
    filters: (name, registry, model) => {
      const target = registry.find(type);
      if (target === null) return [];
      return [
        integerFilter(name, (alias) =>
          createReferringObjectCountSql(target, options, model, alias, [`${alias}_c`, `${alias}_n`]),
        ),
      ];
    },
  };
}

function createReferringObjectCountSql(
  target: ModelDefinition,
  { via, cumulative = false, typeField, stored = false }: ReferringObjectCountFieldOptions,
  model: ModelDefinition,
  alias: string,
  [counted, node]: readonly [string, string],
): SqlText {
  if (stored) {
    const reference = quoteSqlLiteral(`${target.type}.${via}`);
    return `(SELECT coalesce(sum(${counted}.n), 0)::bigint FROM reference_counts ${counted}
      WHERE ${counted}.reference = ${reference} AND ${counted}.object_id = ${alias}.id)`;
  }
  const column = typeField === undefined ? `${via}_id` : via;
  if (cumulative) {
    return `(SELECT count(*) FROM ${target.table} ${counted} JOIN ${model.table} ${node} ON ${node}.id = ${counted}.${column}
      WHERE ${node}._path @> ARRAY[${alias}.id])`;
  }
  const sameType = typeField === undefined ? '' : ` AND ${counted}.${typeField} = '${model.type}'`;
  return `(SELECT count(*) FROM ${target.table} ${counted} WHERE ${counted}.${column} = ${alias}.id${sameType})`;
}

/** Creates the read-only field `id` of an object. */
export function idField(): ModelField<never> {
  return computedField({
    json: (place) => [createComputedJsonFragment(`${place.alias}.id`)],
    schema: { type: 'integer' },
    metadataType: 'integer',
    filters: () => [integerFilter('id', (alias) => `${alias}.id`)],
    order: (place) => [`${place.alias}.id`],
    label: 'ID',
  });
}

/** Creates the field with the URL of the object in the API. */
export function apiUrlField(): ModelField<never> {
  return computedField({
    json: (place) => [
      createConstantJsonFragment('"'),
      createComputedJsonFragment(place.scope.base),
      createConstantJsonFragment(`/api/${place.model.path}/`),
      createComputedJsonFragment(`${place.alias}.id`),
      createConstantJsonFragment('/"'),
    ],
    schema: { type: 'string', format: 'uri-reference' },
    metadataType: 'field',
  });
}

/** Creates the field with the URL of the object's browser page. */
export function displayUrlField(): ModelField<never> {
  return computedField({
    json: (place) => [
      createConstantJsonFragment('"'),
      createComputedJsonFragment(place.scope.base),
      createConstantJsonFragment(`/${place.model.path}/`),
      createComputedJsonFragment(`${place.alias}.id`),
      createConstantJsonFragment('/"'),
    ],
    schema: { type: 'string', format: 'uri-reference' },
    metadataType: 'field',
  });
}

/** Creates the field with the display name of the object. */
export function displayNameField(): ModelField<never> {
  return computedField({
    json: (place) => [createJsonTextFragment(`(${place.model.display(place.alias, place.scope.registry)})`)],
    schema: { type: 'string' },
    metadataType: 'field',
  });
}
