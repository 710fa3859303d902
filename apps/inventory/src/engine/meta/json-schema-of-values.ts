/** A JSON schema in the dialect of OpenAPI 3.1 (draft 2020-12), limited to the keywords that the engine uses. */
export interface JsonSchema {
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  readOnly?: boolean;
  writeOnly?: boolean;
  $ref?: string;
}

/** Returns a JSON schema that also accepts null. */
export function createNullableJsonSchema(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined || schema.anyOf !== undefined) return { anyOf: [schema, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  const types = [schema.type].flat();
  return {
    ...schema,
    type: [...types, 'null'],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  };
}
