import type { ModelFieldMap } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { JsonSchema } from './json-schema-of-values.js';

/** Returns the JSON schema of a nested object as a `$ref`, because schemas refer to one another in cycles. */
export function createNestedSchema(model: ModelDefinition): JsonSchema {
  return { $ref: `#/components/schemas/Nested${model.objectName}` };
}

/**
 * Returns the JSON schema of an object with exactly the given fields. If `optional` is true, each field may be absent.
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
