import type { ModelField, ModelFieldMap, FieldInputContext, FieldSqlContext } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { createNestedSchema, createObjectSchema } from '../meta/openapi-object-schemas.js';
import { referencePathFilters } from '../filter/path-filter.js';
import { relatedObjectFilters, treeNodeFilters } from '../filter/relation-filter.js';
import { type JsonSchema, createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createTextByIdSql } from '../read/object-text-by-id-sql.js';
import { createNestedObjectFragments } from '../read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  createJsonIntegerFragment,
  type JsonTextFragment,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import { createInvalidInputProblem, getJsonTypeName } from '../write/invalid-input-problem.js';
import { type RelatedObjectKey, RelatedObjectLookup } from '../write/related-lookup.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Options of a filter by an object at the end of a path of references that starts at the related object. */
interface OnwardReferenceFilterOptions {
  /**
   * Name of the filter that compares a field of the object at the end of the path. The filter that compares the
   * object's id is named `<filter>_id`.
   */
  readonly filter: string;
  /** Names of references joined by dots, starting at the related model, such as `site.region`. */
  readonly path: string;
  /**
   * Name of the field, in the object at the end of the path, that the filter compares. Default `slug`; with null, the
   * filter does not exist.
   */
  readonly by?: string | null;
}

/** Options of a field that refers to one object. */
export interface ReferenceFieldOptions extends FieldPropertyOptions<number | null> {
  readonly onDelete?: 'protect' | 'cascade' | 'set_null';
  /** Names of columns that are set to null whenever the reference is set to null; see `FieldRelation`. */
  readonly emptiedToo?: readonly string[];
  /**
   * True if an object survives the deletion of the object that it refers to. The database then sets the foreign key to
   * null without a change record; see `FieldRelation`.
   */
  readonly keepOnTargetDelete?: boolean;
  /**
   * True if writes and filters treat referenced objects that the user cannot view as nonexistent; see `FieldRelation`.
   */
  readonly viewedOnly?: boolean;
  /**
   * True if filters treat objects that the user cannot view as nonexistent, although writes accept references to such
   * objects.
   */
  readonly filterViewedOnly?: boolean;
  /**
   * Name of the related model's field that the filter `<name>` compares. Default `slug`; with null, the filter `<name>`
   * does not exist.
   */
  readonly filterBy?: string | null;
  /**
   * Filters by objects to which the related object refers. For example, `tenant_group` compares the `group` of a
   * tenant.
   */
  readonly onward?: readonly OnwardReferenceFilterOptions[];
  /** True if a filter by a tree node does not match objects that refer to descendants of the node. */
  readonly filterDirect?: boolean;
  /**
   * Fields of the related object that responses show. Default: the fields of the nested form of the related object's
   * model.
   */
  readonly shape?: NestedObjectFields;
  /**
   * Returns the SQL of columns that store copies of the values by which the referenced objects are sorted; see
   * `Field.storedOrder`.
   */
  readonly storedOrder?: (alias: string) => readonly SqlText[];
  /** True if a database index covers the column of the reference followed by the column `id`; see `Field`. */
  readonly isIndexedWithId?: boolean;
  /**
   * True if a database index covers the column of the reference, and many rows refer to the same object; see `Field`.
   */
  readonly hasManyRows?: boolean;
  /** True to represent the related object by its id alone, in responses and in requests. Default false. */
  readonly bare?: boolean;
}

/**
 * Fields that a nested object shows: names of fields of its model, or fields that are declared only for the nested
 * object.
 */
export type NestedObjectFields = ModelFieldMap | readonly string[];

function isNestedFieldNameList(shape: NestedObjectFields): shape is readonly string[] {
  return Array.isArray(shape);
}

/** Returns the SQL expression of the JSON text of a related object. The text contains the fields of `shape`. */
export function createRelatedObjectJsonSql(
  target: ModelDefinition,
  alias: string,
  place: FieldSqlContext,
  shape: NestedObjectFields | undefined,
): SqlText {
  if (shape === undefined) return joinJsonFragmentsIntoSql(createNestedObjectFragments(target, alias, place.scope));
  const shown = isNestedFieldNameList(shape) ? { nested: shape } : { fields: shape, nested: Object.keys(shape) };
  return joinJsonFragmentsIntoSql(createNestedObjectFragments({ ...target, ...shown }, alias, place.scope));
}

/** Returns the JSON schema of a related object that has the fields of `shape`; see {@link createRelatedObjectJsonSql}. */
export function createRelatedObjectJsonSchema(
  target: ModelDefinition,
  registry: ModelRegistry,
  shape: NestedObjectFields | undefined,
): JsonSchema {
  if (shape === undefined) return createNestedSchema(target);
  return isNestedFieldNameList(shape)
    ? createObjectSchema(target.fields, shape, registry)
    : createObjectSchema(shape, Object.keys(shape), registry);
}

/**
 * Creates a field that refers to one object of another model. Responses show the object in nested form. Requests
 * identify the object by id or by attributes (docs/contract/inventory.md 1.10).
 */
export function referenceField(type: string, options: ReferenceFieldOptions = {}): ModelField<number | null> {
  const own = addDefaultFieldProperties(options, null);
  return {
    kind: 'ref',
    traits: own,
    column: (name) => ({ name: `${name}_id`, type: 'bigint' }),
    json: (place) => [
      options.bare === true
        ? createIdOnlyJsonSql(place, type)
        : createNullableRelatedObjectSql(place, type, options.shape),
    ],
    snapshot: (place) =>
      place.scope.registry.find(type) === null
        ? [createConstantJsonFragment('null')]
        : [createJsonIntegerFragment(createQualifiedColumnSql(place, `${place.name}_id`))],
    input: (value, place) => {
      const isNull = value === null || (options.bare === true && value === '');
      if (isNull && own.nullable) return null;
      if (isNull) throw createInvalidInputProblem('This field may not be null.');
      const key =
        options.bare === true ? parsePrimaryKey(value, type, place) : parseObjectReference(value, type, place);
      return new RelatedObjectLookup(type, [key], { viewedOnly: options.viewedOnly });
    },
    schema: {
      read: (registry) =>
        options.bare === true
          ? createIdOnlyJsonSchema(own.nullable)
          : createReferenceJsonSchema(type, registry, own.nullable, options.shape),
      write: () => {
        if (options.bare === true) return createIdOnlyJsonSchema(own.nullable);
        const written: JsonSchema = { anyOf: [{ type: 'integer' }, { type: 'object', additionalProperties: true }] };
        return own.nullable ? createNullableJsonSchema(written) : written;
      },
    },
    metadata:
      options.bare === true ? { type: 'field' } : { type: 'nested object', nested: { of: type, shape: options.shape } },
    filters: (name, registry, model) => {
      const target = registry.find(type);
      if (target === null) return [];
      const by = options.filterBy === undefined ? 'slug' : options.filterBy;
      const own =
        target.tree && options.filterDirect !== true
          ? treeNodeFilters(name, target, by)
          : relatedObjectFilters(name, target, by, options.viewedOnly ?? options.filterViewedOnly);
      const onward = (options.onward ?? []).flatMap((further) =>
        referencePathFilters(further.filter, `${name}.${further.path}`, further.by)(model, registry),
      );
      return [...own, ...onward];
    },
    order: (place) => createReferenceSortSql(place, type),
    ...(options.storedOrder === undefined ? {} : { storedOrder: options.storedOrder }),
    ...(options.isIndexedWithId === true ? { isIndexedWithId: true } : {}),
    ...(options.hasManyRows === true ? { hasManyRows: true } : {}),
    relation: {
      kind: 'ref',
      targets: [type],
      onDelete: options.onDelete ?? 'protect',
      ...(options.emptiedToo === undefined ? {} : { emptiedToo: options.emptiedToo }),
      ...(options.keepOnTargetDelete === true ? { keepOnTargetDelete: true } : {}),
      ...(options.viewedOnly === true ? { viewedOnly: true } : {}),
      ...(options.bare === true ? { missingMessage: createMissingIdMessage } : {}),
    },
  };
}

function createNullableRelatedObjectSql(
  place: FieldSqlContext,
  type: string,
  shape: NestedObjectFields | undefined,
): { sql: SqlText } | { text: string } {
  const target = place.scope.registry.find(type);
  if (target === null) return createConstantJsonFragment('null');
  return createComputedJsonFragment(
    createJsonByIdSql(place, target, createQualifiedColumnSql(place, `${place.name}_id`), shape),
  );
}

/**
 * Returns the SQL expression of an object's JSON text, given the SQL expression of the object's id. The JSON text is
 * `null` if the object does not exist.
 */
export function createJsonByIdSql(
  place: FieldSqlContext,
  target: ModelDefinition,
  id: SqlText,
  shape: NestedObjectFields | undefined,
): SqlText {
  const found = (alias: string): SqlText => createRelatedObjectJsonSql(target, alias, place, shape);
  return `coalesce(${createTextByIdSql(place.scope, place.alias, { target, id, found })}, 'null')`;
}

function createIdOnlyJsonSql(place: FieldSqlContext, type: string): JsonTextFragment {
  return place.scope.registry.find(type) === null
    ? createConstantJsonFragment('null')
    : createJsonIntegerFragment(createQualifiedColumnSql(place, `${place.name}_id`));
}

function createIdOnlyJsonSchema(nullable: boolean): JsonSchema {
  return nullable ? createNullableJsonSchema({ type: 'integer' }) : { type: 'integer' };
}

/** Returns the error message for an id in a list of ids, if no object has that id. */
export function createMissingIdMessage(id: number | string): string {
  return `Invalid pk "${id}" - object does not exist.`;
}

/**
 * Parses the id of an object, a number or numeric text. Error messages equal the messages of the reference API for
 * plain lists of ids (docs/contract/inventory.md 1.10).
 */
export function parsePrimaryKey(value: unknown, type: string, place: FieldInputContext): { readonly id: number } {
  const given = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  if (!/^-?\d{1,19}$/.test(given))
    throw createInvalidInputProblem(`Incorrect type. Expected pk value, received ${getJsonTypeName(value)}.`);
  const id = Number(given);
  if (place.registry.find(type) === null || !Number.isSafeInteger(id) || id < 0)
    throw createInvalidInputProblem(createMissingIdMessage(given));
  return { id };
}

function createReferenceJsonSchema(
  type: string,
  registry: ModelRegistry,
  nullable: boolean,
  shape: NestedObjectFields | undefined,
): JsonSchema {
  const target = registry.find(type);
  if (target === null) return { type: 'null' };
  const shown = createRelatedObjectJsonSchema(target, registry, shape);
  return nullable ? createNullableJsonSchema(shown) : shown;
}

/**
 * Returns the SQL expressions that sort objects by the objects that they refer to, in the default order of the
 * referenced model (docs/contract/inventory.md 1.7).
 */
function createReferenceSortSql(place: FieldSqlContext, type: string): readonly SqlText[] {
  const target = place.scope.registry.find(type);
  if (target === null) return [];
  const own = createQualifiedColumnSql(place, `${place.name}_id`);
  return target.order.flatMap((term) => {
    const alias = place.scope.alias();
    const field = term.field === undefined ? undefined : target.fields[term.field];
    const expressions =
      term.sql === undefined
        ? (field?.order({ name: term.field ?? '', model: target, alias, scope: place.scope }) ?? [])
        : [term.sql(alias)];
    return expressions.map(
      (expression) => `(SELECT ${expression} FROM ${target.table} ${alias} WHERE ${alias}.id = ${own})`,
    );
  });
}

/**
 * Parses a reference to an object. The sent value is the object's id, a numeric text, or a JSON object of attributes
 * that identify the object.
 */
export function parseObjectReference(value: unknown, type: string, place: FieldInputContext): RelatedObjectKey {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    // Spreading an unknown object is the only way to type its entries without a cast.
    return { attributes: { ...value } };
  }
  // The reference API reads true as 1.
  const given =
    value === true ? '1' : typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  if (!/^\d{1,19}$/.test(given)) {
    throw createInvalidInputProblem(
      `Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: ${String(value)}`,
    );
  }
  const id = Number(given);
  if (place.registry.find(type) === null || !Number.isSafeInteger(id)) {
    throw createInvalidInputProblem(`Related object not found using the provided numeric ID: ${given}`);
  }
  return { id };
}

/**
 * Creates a read-only field that lists, in nested form, the objects of another model whose reference points to the
 * object with the field.
 */
export function reverseReferencesField(
  type: string,
  via: string,
  shape?: NestedObjectFields,
): ModelField<readonly number[]> {
  return {
    kind: 'reverse',
    traits: addDefaultFieldProperties({ readOnly: true }, []),
    column: () => null,
    json: (place) => {
      const target = place.scope.registry.find(type);
      if (target === null) return [createConstantJsonFragment('[]')];
      const alias = place.scope.alias();
      const item = createRelatedObjectJsonSql(target, alias, place, shape);
      const from = `FROM ${target.table} ${alias} WHERE ${alias}.${via}_id`;
      const together = place.scope.batchLookup?.load(
        place.alias,
        `${place.alias}.id`,
        (ids) =>
          `SELECT ${alias}.${via}_id AS id, string_agg(${item}, ', ' ORDER BY ${alias}.id) AS value ${from} = ANY (${ids}) GROUP BY 1`,
      );
      if (typeof together === 'string') return [createComputedJsonFragment(`concat('[', ${together}, ']')`)];
      const rows = `SELECT ${item} AS item ${from} = ${place.alias}.id ORDER BY ${alias}.id`;
      return [
        createComputedJsonFragment(
          `concat('[', (SELECT string_agg(item, ', ') FROM (${rows}) ${place.scope.alias()}), ']')`,
        ),
      ];
    },
    snapshot: () => null,
    input: () => {
      throw createInvalidInputProblem('This field cannot be written.');
    },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return { type: 'array', items: target === null ? {} : createRelatedObjectJsonSchema(target, registry, shape) };
      },
      write: () => ({}),
    },
    metadata: {
      type: 'field',
      child: { type: 'nested object', required: false, read_only: true, nested: { of: type, shape } },
    },
    filters: () => [],
    order: () => [],
  };
}
