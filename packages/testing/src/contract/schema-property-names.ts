type JsonSchemaObject = Record<string, unknown>;

/**
 * Returns the names that a JSON schema declares for the properties of an object. Returns `undefined` if the schema
 * allows any name: for a map, for declared JSON, or for a schema that does not describe objects.
 */
export function listPropertyNamesOfSchema(schema: unknown, components: JsonSchemaObject): Set<string> | undefined {
  if (!isJsonObjectValue(schema)) {
    return undefined;
  }
  if (typeof schema['$ref'] === 'string') {
    return listPropertyNamesOfSchema(components[schema['$ref'].replace('#/components/schemas/', '')], components);
  }
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  if (branches.length > 0) {
    return mergeDeclaredPropertyNames(
      branches
        .filter((branch) => !isNullJsonSchema(branch))
        .map((branch) => listPropertyNamesOfSchema(branch, components)),
    );
  }
  if ([schema['type']].flat().includes('array')) {
    return listPropertyNamesOfSchema(schema['items'], components);
  }
  if (
    !isJsonObjectValue(schema['properties']) ||
    isJsonObjectValue(schema['additionalProperties']) ||
    schema['additionalProperties'] === true
  ) {
    return undefined;
  }
  return new Set(Object.keys(schema['properties']));
}

function mergeDeclaredPropertyNames(parts: (Set<string> | undefined)[]): Set<string> | undefined {
  const all = new Set<string>();
  for (const part of parts) {
    if (part === undefined) {
      return undefined;
    }
    part.forEach((name) => all.add(name));
  }
  return all;
}

function isNullJsonSchema(schema: unknown): boolean {
  return isJsonObjectValue(schema) && schema['type'] === 'null';
}

function isJsonObjectValue(value: unknown): value is JsonSchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
