import type { ModelField } from '../declaration/field.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createComputedJsonFragment, type SqlText, createConstantJsonFragment } from '../sql/json-text-sql.js';
import { computedField } from './computed-field.js';
import { createJsonByIdSql, type NestedObjectFields, createRelatedObjectJsonSchema } from './relation.js';

/**
 * Creates a read-only field that shows a nested object. An SQL expression computes the id of the nested object. The
 * field is null if that id is null.
 *
 * @param id function from the table alias of the object with the field to the SQL expression of the nested object's id
 */
export function computedReferenceField(
  type: string,
  id: (alias: string) => SqlText,
  shape?: NestedObjectFields,
): ModelField<never> {
  const { schema: _schema, ...field } = computedField({
    json: (place) => {
      const target = place.scope.registry.find(type);
      return [
        target === null
          ? createConstantJsonFragment('null')
          : createComputedJsonFragment(createJsonByIdSql(place, target, id(place.alias), shape)),
      ];
    },
    schema: {},
    nullable: true,
  });
  return {
    ...field,
    metadata: { type: 'nested object', nested: { of: type, shape } },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return target === null
          ? { type: 'null' }
          : createNullableJsonSchema(createRelatedObjectJsonSchema(target, registry, shape));
      },
      write: () => ({}),
    },
  };
}
