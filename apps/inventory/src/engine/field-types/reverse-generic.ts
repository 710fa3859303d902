import type { ModelField, FieldSqlContext } from '../declaration/field.js';
import { createNestedSchema } from '../meta/component-schemas.js';
import { toNullableSchema } from '../meta/json-schema-of-values.js';
import { computedJson, type SqlText, constantJson } from '../sql/json-text-sql.js';
import { computedField } from './computed-field.js';
import { type NestedShape, relatedObjectJsonSql, relatedObjectSchema } from './relation.js';

/**
 * Names of the two fields in another model that store a generic reference: the field of the referenced model, and the
 * field of the referenced id.
 */
export interface GenericReferenceFields {
  readonly type: string;
  readonly id: string;
}

/**
 * Creates a read-only field that lists the objects whose generic reference points to the object with the field. The
 * listed objects are shown in nested form or with the given fields.
 */
export function reverseGenericReferences(
  type: string,
  pair: GenericReferenceFields,
  shape?: NestedShape,
): ModelField<readonly number[]> {
  const { schema: _schema, ...field } = computedField(
    {
      json: (place) => {
        const batchLookup = referringObjectsOfPageSql(place, type, pair, { shape });
        if (batchLookup !== null) return [computedJson(`concat('[', ${batchLookup}, ']')`)];
        const rows = referringObjectsSql(place, type, pair, shape);
        if (rows === null) return [constantJson('[]')];
        return [
          computedJson(`concat('[', (SELECT string_agg(item, ', ') FROM (${rows}) ${place.scope.alias()}), ']')`),
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
        return { type: 'array', items: target === null ? {} : relatedObjectSchema(target, registry, shape) };
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
export function reverseGenericReference(type: string, pair: GenericReferenceFields): ModelField<number | null> {
  const { schema: _schema, ...field } = computedField({
    json: (place) => {
      const batchLookup = referringObjectsOfPageSql(place, type, pair, { first: true });
      if (batchLookup !== null) return [computedJson(`coalesce(${batchLookup}, 'null')`)];
      const rows = referringObjectsSql(place, type, pair);
      return [rows === null ? constantJson('null') : computedJson(`coalesce((${rows} LIMIT 1), 'null')`)];
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
        return target === null ? { type: 'null' } : toNullableSchema(createNestedSchema(target));
      },
      write: () => ({}),
    },
  };
}

function referringObjectsSql(
  place: FieldSqlContext,
  type: string,
  pair: GenericReferenceFields,
  shape?: NestedShape,
): SqlText | null {
  const target = place.scope.registry.find(type);
  if (target === null) return null;
  const alias = place.scope.alias();
  return `SELECT ${relatedObjectJsonSql(target, alias, place, shape)} AS item FROM ${target.table} ${alias}
    WHERE ${alias}.${pair.type} = '${place.model.type}' AND ${alias}.${pair.id} = ${place.alias}.id ORDER BY ${alias}.id`;
}

/**
 * Returns the SQL expression of the objects whose generic references point to a row of a page. One query loads the
 * referring objects of all rows. Returns null if each row must load its referring objects separately.
 */
function referringObjectsOfPageSql(
  place: FieldSqlContext,
  type: string,
  pair: GenericReferenceFields,
  { shape, first = false }: { readonly shape?: NestedShape | undefined; readonly first?: boolean },
): SqlText | null {
  const { registry, batchLookup } = place.scope;
  const target = registry.find(type);
  if (target === null || batchLookup === null) return null;
  const alias = place.scope.alias();
  const item = relatedObjectJsonSql(target, alias, place, shape);
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
