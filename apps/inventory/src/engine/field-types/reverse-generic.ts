import type { ModelField, FieldSqlContext } from '../declaration/field.js';
import { createNestedSchema } from '../meta/openapi-object-schemas.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createComputedJsonFragment, type SqlText, createConstantJsonFragment } from '../sql/json-text-sql.js';
import { computedField } from './computed-field.js';
import { type NestedObjectFields, createRelatedObjectJsonSql, createRelatedObjectJsonSchema } from './relation.js';

/**
 * Names of the two fields in another model that store a generic reference: one stores the referenced model, the other
 * the id.
 */
export interface GenericReferenceFieldNames {
  readonly type: string;
  readonly id: string;
}

/**
 * Creates a read-only field that lists the objects whose generic reference points to the object with the field. The
 * listed objects are shown in nested form or with the given fields.
 */
export function reverseGenericReferencesField(
  type: string,
  pair: GenericReferenceFieldNames,
  shape?: NestedObjectFields,
): ModelField<readonly number[]> {
  const { schema: _schema, ...field } = computedField(
    {
      json: (place) => {
        const batchLookup = createPageReferringObjectsSql(place, type, pair, { shape });
        if (batchLookup !== null) return [createComputedJsonFragment(`concat('[', ${batchLookup}, ']')`)];
        const rows = createReferringObjectsSql(place, type, pair, shape);
        if (rows === null) return [createConstantJsonFragment('[]')];
        return [
          createComputedJsonFragment(
            `concat('[', (SELECT string_agg(item, ', ') FROM (${rows}) ${place.scope.alias()}), ']')`,
          ),
        ];
      },
      schema: {},
    },
    'reverse',
  );
  return {
    ...field,
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
  };
}

/**
 * Creates a field that shows, in nested form, the only object whose generic reference points to the object with the
 * field. The field is null if no object refers to the object with the field.
 */
export function singleReverseGenericReferenceField(
  type: string,
  pair: GenericReferenceFieldNames,
): ModelField<number | null> {
  const { schema: _schema, ...field } = computedField({
    json: (place) => {
      const batchLookup = createPageReferringObjectsSql(place, type, pair, { first: true });
      if (batchLookup !== null) return [createComputedJsonFragment(`coalesce(${batchLookup}, 'null')`)];
      const rows = createReferringObjectsSql(place, type, pair);
      return [
        rows === null
          ? createConstantJsonFragment('null')
          : createComputedJsonFragment(`coalesce((${rows} LIMIT 1), 'null')`),
      ];
    },
    schema: {},
  });
  return {
    ...field,
    metadata: { type: 'nested object', nested: { of: type } },
    traits: { ...field.traits, nullable: true },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return target === null ? { type: 'null' } : createNullableJsonSchema(createNestedSchema(target));
      },
      write: () => ({}),
    },
  };
}

function createReferringObjectsSql(
  place: FieldSqlContext,
  type: string,
  pair: GenericReferenceFieldNames,
  shape?: NestedObjectFields,
): SqlText | null {
  const target = place.scope.registry.find(type);
  if (target === null) return null;
  const alias = place.scope.alias();
  return `SELECT ${createRelatedObjectJsonSql(target, alias, place, shape)} AS item FROM ${target.table} ${alias}
    WHERE ${alias}.${pair.type} = '${place.model.type}' AND ${alias}.${pair.id} = ${place.alias}.id ORDER BY ${alias}.id`;
}

/**
 * Returns the SQL expression of the objects whose generic references point to a row of a page. One query loads the
 * referring objects of all rows. Returns null if each row must load its referring objects separately.
 */
function createPageReferringObjectsSql(
  place: FieldSqlContext,
  type: string,
  pair: GenericReferenceFieldNames,
  { shape, first = false }: { readonly shape?: NestedObjectFields | undefined; readonly first?: boolean },
): SqlText | null {
  const { registry, batchLookup } = place.scope;
  const target = registry.find(type);
  if (target === null || batchLookup === null) return null;
  const alias = place.scope.alias();
  const item = createRelatedObjectJsonSql(target, alias, place, shape);
  const by = `ORDER BY ${alias}.id`;
  const value = first ? `(array_agg(${item} ${by}))[1]` : `string_agg(${item}, ', ' ${by})`;
  return batchLookup.load(
    place.alias,
    `${place.alias}.id`,
    (ids) =>
      `SELECT ${alias}.${pair.id} AS id, ${value} AS value FROM ${target.table} ${alias}
        WHERE ${alias}.${pair.type} = '${place.model.type}' AND ${alias}.${pair.id} = ANY (${ids}) GROUP BY 1`,
  );
}
