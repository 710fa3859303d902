import type { ModelFieldMap } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { JsonSchema } from './json-schema-of-values.js';

/**
 * Returns a reference (`$ref`) to the JSON schema of a model's nested objects. A reference is necessary because schemas
 * refer to one another in cycles.
 */
export function createNestedSchema(model: ModelDefinition): JsonSchema {
  return { $ref: `#/components/schemas/Nested${model.objectName}` };
}

/**
 * Returns the JSON schema of an object with exactly the given fields. If `optional` is true, the schema requires none
 * of the fields.
 */
export function createObjectSchema(
  fields: ModelFieldMap,
  names: readonly string[],
  registry: ModelRegistry,
  optional = false,
): JsonSchema {
  const shown = names.flatMap((name) => {
    const field = fields[name];
    return field === undefined || field.traits.writeOnly ? [] : [[name, field] as const];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map(([name, field]) => [name, field.schema.read(registry)])),
    ...(optional ? {} : { required: shown.map(([name]) => name) }),
    additionalProperties: false,
  };
}
