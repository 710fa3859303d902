/** Any value that JSON can contain. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  [key: string]: Json;
}

/** Value types of the conditions language. */
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** Returns the type of a value. */
export function kindOf(value: Json): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** True for an object, the only kind with named members. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value !== undefined && kindOf(value) === 'object';
}
