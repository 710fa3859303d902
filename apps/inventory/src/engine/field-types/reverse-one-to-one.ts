import type { ModelField, ModelFieldMap } from '../declaration/field.js';
import { createNestedSchema, createObjectSchema } from '../meta/openapi-object-schemas.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createComputedJsonFragment, createConstantJsonFragment } from '../sql/json-text-sql.js';
import { computedField } from './computed-field.js';
import { createRelatedObjectJsonSql } from './relation.js';

export interface ReverseOneToOneOptions {
  /** Name of the other model's unique reference that points to the object with the field. */
  readonly via: string;
  /** Fields that responses show of the referring object. Default: the fields of the nested form of its model. */
  readonly shape?: ModelFieldMap;
}

/**
 * Creates a read-only field that shows, in nested form, the only object whose reference points to the object with the
 * field. The field is null if no object refers to the object with the field.
 */
export function reverseOneToOneField(type: string, { via, shape }: ReverseOneToOneOptions): ModelField<number | null> {
  const { schema: _schema, ...field } = computedField({
    json: (place) => {
      const target = place.scope.registry.find(type);
      if (target === null) return [createConstantJsonFragment('null')];
      const alias = place.scope.alias();
      const shown = createRelatedObjectJsonSql(target, alias, place, shape);
      const from = `FROM ${target.table} ${alias} WHERE ${alias}.${via}_id`;
      const together = place.scope.batchLookup?.load(
        place.alias,
        `${place.alias}.id`,
        (ids) => `SELECT ${alias}.${via}_id AS id, ${shown} AS value ${from} = ANY (${ids})`,
      );
      return [
        createComputedJsonFragment(`coalesce(${together ?? `(SELECT ${shown} ${from} = ${place.alias}.id)`}, 'null')`),
      ];
    },
    schema: {},
    metadataType: 'nested object',
  });
  return {
    ...field,
    traits: { ...field.traits, nullable: true },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        if (target === null) return { type: 'null' };
        return createNullableJsonSchema(
          shape === undefined ? createNestedSchema(target) : createObjectSchema(shape, Object.keys(shape), registry),
        );
      },
      write: () => ({}),
    },
  };
}
