import type { ModelField, FieldSqlContext } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { tagFilters } from '../filter/tag-filter.js';
import { createNestedSchema } from '../meta/openapi-object-schemas.js';
import { createNestedObjectFragments } from '../read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';
import { createNotAListProblem, createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { RelatedObjectLookup } from '../write/related-lookup.js';
import { parseObjectReference } from './relation.js';
import { addDefaultFieldProperties } from './field-traits.js';

/** Name of the model of tags, and name of the table that assigns tags to objects. */
export interface TagModelAndTable {
  /** Name of the model whose objects are tags, as `<app>.<model>`. */
  readonly type: string;
  /** Name of the table that assigns tags to objects; it has the columns `object_type`, `object_id` and `tag_id`. */
  readonly assignments: string;
}

/**
 * Creates the field for an object's tags, shown in nested form and sorted by weight and name. A write replaces all tags
 * of the object. Requests identify each tag by id or by attributes.
 */
export function tagsField(tables: TagModelAndTable): ModelField<readonly number[]> {
  return {
    kind: 'tags',
    traits: addDefaultFieldProperties({}, []),
    column: () => null,
    json: (place) => {
      const target = place.scope.registry.find(tables.type);
      if (target === null) return [createConstantJsonFragment('[]')];
      return [
        createConstantJsonFragment('['),
        createComputedJsonFragment(`coalesce(${createTagListSql(place, target, tables.assignments)}, '')`),
        createConstantJsonFragment(']'),
      ];
    },
    snapshot: (place) => {
      const target = place.scope.registry.find(tables.type);
      if (target === null) return [createConstantJsonFragment('[]')];
      const { alias, scope } = place;
      const [link, tag] = [scope.alias(), scope.alias()];
      const names = `json_agg(${tag}.name ORDER BY ${tag}.name)::text`;
      const from = `FROM ${tables.assignments} ${link} JOIN ${target.table} ${tag} ON ${tag}.id = ${link}.tag_id
          WHERE ${link}.object_type = ${quoteSqlLiteral(place.model.type)} AND ${link}.object_id`;
      const together = scope.batchLookup?.load(
        alias,
        `${alias}.id`,
        (ids) => `SELECT ${link}.object_id AS id, ${names} AS value ${from} = ANY (${ids}) GROUP BY 1`,
      );
      return [createComputedJsonFragment(`coalesce(${together ?? `(SELECT ${names} ${from} = ${alias}.id)`}, '[]')`)];
    },
    input: (value, place) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (!Array.isArray(value)) throw createNotAListProblem(value);
      return new RelatedObjectLookup(
        tables.type,
        value.map((item) => parseObjectReference(item, tables.type, place)),
        { many: true },
      );
    },
    schema: {
      read: (registry) => {
        const target = registry.find(tables.type);
        return { type: 'array', items: target === null ? {} : createNestedSchema(target) };
      },
      write: () => ({
        type: 'array',
        items: { anyOf: [{ type: 'integer' }, { type: 'object', additionalProperties: true }] },
      }),
    },
    metadata: {
      type: 'field',
      child: { type: 'nested object', required: false, read_only: false, nested: { of: tables.type } },
    },
    filters: (_name, registry) => {
      const target = registry.find(tables.type);
      return target === null ? [] : tagFilters(target, tables.assignments);
    },
    order: () => [],
    tagTables: tables,
    relation: { kind: 'tags', targets: [tables.type], onDelete: 'cascade' },
  };
}

/**
 * Returns the SQL expression of an object's tags, each as JSON text, joined by commas. The expression is null for an
 * object without tags.
 */
function createTagListSql(place: FieldSqlContext, target: ModelDefinition, assignments: string): SqlText {
  const { scope, alias } = place;
  const [link, tag] = [scope.alias(), scope.alias()];
  const shape = joinJsonFragmentsIntoSql(createNestedObjectFragments(target, tag, scope));
  const items = (item: SqlText): SqlText => `string_agg(${item}, ', ' ORDER BY ${tag}.weight, ${tag}.name)`;
  const table = `${assignments} ${link}`;
  const isAssigned = `${link}.object_type = ${quoteSqlLiteral(place.model.type)} AND ${link}.object_id`;
  const onTag = `ON ${tag}.id = ${link}.tag_id`;
  const together = scope.batchLookup?.load(alias, `${alias}.id`, (ids) => {
    // Builds each tag once, however many objects have it. OFFSET 0 prevents PostgreSQL from inlining the subquery.
    const links = `${link}_all`;
    const tags = `SELECT ${tag}.id, ${tag}.weight, ${tag}.name, ${shape} AS item FROM ${target.table} ${tag}
      WHERE ${tag}.id IN (SELECT tag_id FROM ${links}) OFFSET 0`;
    return `WITH ${links} AS MATERIALIZED (
        SELECT ${link}.object_id, ${link}.tag_id FROM ${table} WHERE ${isAssigned} = ANY (${ids}))
      SELECT ${link}.object_id AS id, ${items(`${tag}.item`)} AS value FROM ${links} ${link} JOIN (${tags}) ${tag} ${onTag}
      GROUP BY 1`;
  });
  return (
    together ??
    `(SELECT ${items(shape)} FROM ${table} JOIN ${target.table} ${tag} ${onTag} WHERE ${isAssigned} = ${alias}.id)`
  );
}
