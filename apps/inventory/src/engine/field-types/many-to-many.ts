import type { ModelField, JoinTable, FieldSqlContext } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ListFilter } from '../filter/filter-problem.js';
import { relatedObjectFilterByCondition, type RelatedObjectFilterTarget } from '../filter/relation-filter.js';
import { createNestedSchema, createObjectSchema } from '../meta/openapi-object-schemas.js';
import {
  allFieldsSelection,
  createNestedObjectFragments,
  createObjectJsonFragments,
  listSelectedFieldNames,
} from '../read/object-json-fragments.js';
import { joinJsonFragmentsIntoSql, createComputedJsonFragment, type SqlText } from '../sql/json-text-sql.js';
import { createInvalidInputProblem, getJsonTypeName } from '../write/invalid-input-problem.js';
import { RelatedObjectLookup } from '../write/related-lookup.js';
import { computedField } from './computed-field.js';
import {
  createMissingIdMessage,
  parseObjectReference,
  reverseReferencesField,
  type NestedObjectFields,
} from './relation.js';
import { type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Options of the filters of a many-to-many relation. */
interface ManyToManyFilterOptions {
  readonly name: string;
  /**
   * Name of the related model's field that the filter `<name>` compares with its values; null if the filter `<name>`
   * does not exist.
   */
  readonly by: string | null;
  /** True if a filter by a tree node also matches objects related to the descendants of the node. Default false. */
  readonly below?: boolean;
}

/** Options of a many-to-many relation. */
export interface ManyToManyFieldOptions extends FieldPropertyOptions<readonly number[]> {
  readonly join: JoinTable;
  /** Options of the filters by related objects: `<name>_id` compares their ids, and `<name>` compares another field. */
  readonly filter?: ManyToManyFilterOptions;
  /**
   * True to show each related object with all its fields. False to show the nested form, which has few fields. Default
   * false.
   */
  readonly whole?: boolean;
}

/**
 * Creates a many-to-many relation, stored in a table of id pairs; deleting an object deletes its pairs. Responses show
 * the related objects in nested form, in the default order of their model. A write replaces the whole list
 * (docs/contract/inventory.md 1.10).
 */
export function manyToManyField(type: string, options: ManyToManyFieldOptions): ModelField<readonly number[]> {
  const { join, filter, whole = false } = options;
  const written = {
    type: 'array',
    items: { anyOf: [{ type: 'integer' }, { type: 'object', additionalProperties: true }] },
  };
  return {
    kind: 'many',
    traits: addDefaultFieldProperties(options, []),
    column: () => null,
    json: (place) => [
      createComputedJsonFragment(createRelatedObjectListSql(place, getTargetModel(type, place), join, whole)),
    ],
    snapshot: (place) => {
      const { alias, scope } = place;
      const pair = scope.alias();
      const ids = `json_agg(${pair}.${join.other} ORDER BY ${pair}.${join.other})::text`;
      const from = `FROM ${join.table} ${pair} WHERE ${pair}.${join.own}`;
      const together = scope.batchLookup?.load(
        alias,
        `${alias}.id`,
        (owners) => `SELECT ${pair}.${join.own} AS id, ${ids} AS value ${from} = ANY (${owners}) GROUP BY 1`,
      );
      return [createComputedJsonFragment(`coalesce(${together ?? `(SELECT ${ids} ${from} = ${alias}.id)`}, '[]')`)];
    },
    input: (value, place) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (!Array.isArray(value))
        throw createInvalidInputProblem(`Expected a list of items but got type "${getJsonTypeName(value)}".`);
      const keys = value.map((item) => parseObjectReference(item, type, place));
      return keys.length === 0
        ? []
        : new RelatedObjectLookup(type, keys, { many: true, missing: createMissingIdMessage });
    },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        if (target === null) return { type: 'array', items: {} };
        const names = listSelectedFieldNames(target, allFieldsSelection);
        return {
          type: 'array',
          items: whole ? createObjectSchema(target.fields, names, registry) : createNestedSchema(target),
        };
      },
      write: () => written,
    },
    metadata: { type: 'field' },
    filters: (_name, registry) => {
      const target = registry.find(type);
      return target === null || filter === undefined
        ? []
        : manyToManyFilters(filter.name, target, join, filter.by, filter.below);
    },
    order: () => [],
    relation: { kind: 'many', targets: [type], onDelete: 'cascade' },
    join,
  };
}

/**
 * Creates a field that lists the objects of another model whose required reference `via` points to the object with the
 * field. A write sets the reference of each object in the list to the object with the field. The reference of an object
 * that the list omits is unchanged, because a required reference cannot be removed.
 */
export function writableReverseReferencesField(
  type: string,
  via: string,
  options: { table: string; shape?: NestedObjectFields },
): ModelField<readonly number[]> {
  const { table, shape } = options;
  const shown = reverseReferencesField(type, via, shape);
  const written = manyToManyField(type, { join: { table, own: `${via}_id`, other: 'id', moves: true } });
  return {
    ...written,
    json: shown.json,
    snapshot: shown.snapshot,
    schema: { read: shown.schema.read, write: written.schema.write },
  };
}

/**
 * Returns two filters by related objects: `<name>_id` compares the ids of the objects, and `<name>` compares another
 * field. A filter matches an object if a related object has one of the given values. With `below`, a filter by a tree
 * node also matches objects related to descendants of the node.
 */
export function manyToManyFilters(
  name: string,
  target: RelatedObjectFilterTarget,
  join: JoinTable,
  by: string | null,
  below = false,
): readonly ListFilter[] {
  const pairs = (alias: string, more: SqlText): SqlText =>
    `EXISTS (SELECT FROM ${join.table} pair WHERE pair.${join.own} = ${alias}.id${more})`;
  const relation = {
    target,
    below,
    matches: (alias: string, ids: SqlText) => pairs(alias, ` AND pair.${join.other} = ANY (${ids})`),
    isNull: (alias: string) => `NOT ${pairs(alias, '')}`,
  };
  const byId = relatedObjectFilterByCondition(`${name}_id`, { ...relation, by: 'id' });
  return by === null ? [byId] : [byId, relatedObjectFilterByCondition(name, { ...relation, by })];
}

/**
 * Creates a field with the number of objects related by a {@link manyToManyField} relation. With `cumulative`, the
 * field shows the number of distinct objects that are related to a tree node or its descendants.
 */
export function manyToManyCountField(
  join: JoinTable,
  { cumulative = false, metadataType = 'field' } = {},
): ModelField<never> {
  const count = (place: FieldSqlContext): SqlText => {
    const pair = place.scope.alias();
    if (cumulative) {
      const node = place.scope.alias();
      return `(SELECT count(DISTINCT ${pair}.${join.other}) FROM ${join.table} ${pair}
        JOIN ${place.model.table} ${node} ON ${node}.id = ${pair}.${join.own} WHERE ${node}._path @> ARRAY[${place.alias}.id])`;
    }
    return `(SELECT count(*) FROM ${join.table} ${pair} WHERE ${pair}.${join.own} = ${place.alias}.id)`;
  };
  return computedField(
    {
      json: (place) => [createComputedJsonFragment(count(place))],
      order: (place) => [count(place)],
      schema: { type: 'integer', format: 'int64' },
      metadataType,
    },
    'count',
  );
}

function getTargetModel(type: string, place: FieldSqlContext): ModelDefinition {
  const target = place.scope.registry.find(type);
  if (target === null)
    throw new RangeError(`${place.model.type}.${place.name} leads to ${type}, which is not declared`);
  return target;
}

function createRelatedObjectListSql(
  place: FieldSqlContext,
  target: ModelDefinition,
  join: JoinTable,
  whole: boolean,
): SqlText {
  const { scope } = place;
  const [alias, pair, items] = [scope.alias(), scope.alias(), scope.alias()];
  const order = target.order.flatMap((term) => {
    if (term.sql !== undefined) return [term.sql(alias)];
    const name = term.field ?? '';
    return target.fields[name]?.order({ name, model: target, alias, scope }) ?? [];
  });
  const shape = whole
    ? createObjectJsonFragments(target, listSelectedFieldNames(target, allFieldsSelection), alias, scope)
    : createNestedObjectFragments(target, alias, scope);
  const item = joinJsonFragmentsIntoSql(shape);
  const from = `FROM ${join.table} ${pair} JOIN ${target.table} ${alias} ON ${alias}.id = ${pair}.${join.other} WHERE ${pair}.${join.own}`;
  const by = [...order, `${alias}.id`].join(', ');
  const together = scope.batchLookup?.load(
    place.alias,
    `${place.alias}.id`,
    (ids) =>
      `SELECT ${pair}.${join.own} AS id, string_agg(${item}, ', ' ORDER BY ${by}) AS value ${from} = ANY (${ids}) GROUP BY 1`,
  );
  if (typeof together === 'string') return `concat('[', ${together}, ']')`;
  const rows = `SELECT ${item} AS item ${from} = ${place.alias}.id ORDER BY ${by}`;
  return `concat('[', (SELECT string_agg(item, ', ') FROM (${rows}) ${items}), ']')`;
}
