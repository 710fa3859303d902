/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** Types of JSON values that operators of conditions distinguish. */
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** Returns the type of a JSON value. */
export function jsonKindOf(value: Json): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** Returns true for a JSON object, the only kind of value with named members. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value !== undefined && jsonKindOf(value) === 'object';
}
