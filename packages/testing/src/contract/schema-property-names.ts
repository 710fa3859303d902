type SchemaJson = Record<string, unknown>;

/**
 * Returns the names that a JSON schema declares for the properties of an object. Returns `undefined` if the schema
 * allows any name: for a map, for declared JSON, or for a schema that does not describe objects.
 */
export function listDeclaredPropertyNames(schema: unknown, components: SchemaJson): Set<string> | undefined {
  if (!isObject(schema)) {
    return undefined;
  }
  if (typeof schema['$ref'] === 'string') {
    return listDeclaredPropertyNames(components[schema['$ref'].replace('#/components/schemas/', '')], components);
  }
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  if (branches.length > 0) {
    return mergePropertyNames(
      branches.filter((branch) => !isNullSchema(branch)).map((branch) => listDeclaredPropertyNames(branch, components)),
    );
  }
  if ([schema['type']].flat().includes('array')) {
    return listDeclaredPropertyNames(schema['items'], components);
  }
  if (
    !isObject(schema['properties']) ||
    isObject(schema['additionalProperties']) ||
    schema['additionalProperties'] === true
  ) {
    return undefined;
  }
  return new Set(Object.keys(schema['properties']));
}

function mergePropertyNames(parts: (Set<string> | undefined)[]): Set<string> | undefined {
  const all = new Set<string>();
  for (const part of parts) {
    if (part === undefined) {
      return undefined;
    }
    part.forEach((name) => all.add(name));
  }
  return all;
}

function isNullSchema(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

function isObject(value: unknown): value is SchemaJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
