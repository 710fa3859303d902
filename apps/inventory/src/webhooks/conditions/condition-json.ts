/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** Types of JSON values that the operators of event rule conditions distinguish. */
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** Returns the name of the type of a JSON value. */
export function getJsonKind(value: JsonValue): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** Returns true if a JSON value is an object. Objects are the only JSON values with named members. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && getJsonKind(value) === 'object';
}
