/**
 * Keyword that marks a JSON schema whose value may be any JSON. It is set with `.meta({ json: true })` on the zod
 * schema.
 */
export const ANY_JSON_SCHEMA = 'x-any-json';

type JsonObject = Record<string, unknown>;

const COMPOSITE_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const TYPE_KEYWORDS = ['type', 'enum', 'const', '$ref', 'not', ...COMPOSITE_KEYWORDS];

/** A part of a response schema that allows undocumented content, with the path to this part within the schema. */
interface UndocumentedContentFault {
  path: string;
  problem: string;
}

/**
 * Finds the first part of a response schema that allows undocumented keys or values: an object with additional
 * properties, or a value without a type. Returns the fault, or undefined if there is none. Each schema reference is
 * followed only once.
 */
export function findUndocumentedContent(schema: unknown, components: JsonObject): UndocumentedContentFault | undefined {
  return new UndocumentedContentSearch(components).visit(schema, '');
}

class UndocumentedContentSearch {
  readonly #seen = new Set<string>();

  constructor(private readonly components: JsonObject) {}

  visit(schema: unknown, path: string): UndocumentedContentFault | undefined {
    if (!isObject(schema) || !TYPE_KEYWORDS.some((key) => key in schema)) {
      return isObject(schema) && schema[ANY_JSON_SCHEMA] === true ? undefined : { path, problem: 'has no type' };
    }
    if (schema[ANY_JSON_SCHEMA] === true) {
      return undefined;
    }
    if (typeof schema['$ref'] === 'string') {
      return this.#findInReference(schema['$ref'], path);
    }
    return this.#findInObject(schema, path) ?? this.#findInArray(schema, path) ?? this.#findInComposites(schema, path);
  }

  #findInReference(reference: string, path: string): UndocumentedContentFault | undefined {
    if (this.#seen.has(reference)) {
      return undefined;
    }
    this.#seen.add(reference);
    return this.visit(this.components[reference.replace('#/components/schemas/', '')], path);
  }

  #findInObject(schema: JsonObject, path: string): UndocumentedContentFault | undefined {
    const rest = schema['additionalProperties'];
    const isObjectType = [schema['type']].flat().includes('object');
    // A map declares its keys and values; an object open to any content declares neither.
    const isMap = isObject(rest) && ('propertyNames' in schema || Object.keys(rest).length > 0);
    // A discriminated union also has the type object; its branches are checked instead.
    const isUnion = COMPOSITE_KEYWORDS.some((key) => key in schema);
    if (isObjectType && !isMap && rest !== false && !isUnion) {
      return { path, problem: 'is an object open to undeclared keys' };
    }
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    for (const [name, member] of Object.entries(properties)) {
      const found = this.visit(member, path === '' ? name : `${path}.${name}`);
      if (found) {
        return found;
      }
    }
    return isMap ? this.visit(rest, `${path}{}`) : undefined;
  }

  #findInArray(schema: JsonObject, path: string): UndocumentedContentFault | undefined {
    const isTuple = 'prefixItems' in schema;
    if (![schema['type']].flat().includes('array') || (isTuple && !('items' in schema))) {
      return undefined;
    }
    return schema['items'] === false ? undefined : this.visit(schema['items'], `${path}[]`);
  }

  #findInComposites(schema: JsonObject, path: string): UndocumentedContentFault | undefined {
    for (const key of COMPOSITE_KEYWORDS) {
      const branches = schema[key];
      for (const branch of Array.isArray(branches) ? branches : []) {
        const found = this.visit(branch, path);
        if (found) {
          return found;
        }
      }
    }
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
