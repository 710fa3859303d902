import type { z } from 'zod';
import { QueueUsageError } from './queue-usage-error.js';

/** Name of the only field of the object that represents a Date in stored JSON. */
const DATE_FIELD_NAME = '$switchboard.date';

/**
 * A payload in three forms: the JSON text, the value of that text, and the result of parsing the value by the schema.
 */
export interface SerializedPayload<P> {
  readonly text: string;
  readonly stored: unknown;
  readonly parsed: P;
}

/**
 * Converts a payload to JSON text and parses the text again. A payload that JSON cannot represent is thus rejected when
 * the payload is added, not when it is dispatched. The input of the schema is stored, so that transformations are
 * applied once, when the payload is read.
 *
 * @throws ZodError when the payload does not match the schema
 * @throws QueueUsageError when the payload cannot be written as JSON
 */
export function serializePayload<P>(schema: z.ZodType<P>, payload: unknown): SerializedPayload<P> {
  const text = createPayloadJson(payload);
  const stored: unknown = JSON.parse(text);
  return { text, stored, parsed: schema.parse(decodeDatesInJsonValue(stored)) };
}

function createPayloadJson(payload: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(encodeDatesForJson(payload));
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new QueueUsageError('The payload cannot be written as JSON', { cause });
  return text;
}

/** Returns a stored JSON value in which the objects that represent dates are replaced by dates. */
export function decodeDatesInJsonValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapArrayReusingUnchanged(value, decodeDatesInJsonValue);
  return parseDateFromJsonObject(value) ?? mapObjectReusingUnchanged(value, decodeDatesInJsonValue);
}

/**
 * Returns the date that a stored object represents. Returns undefined for any other object, including similar objects
 * in a user's payload.
 */
function parseDateFromJsonObject(value: object): Date | undefined {
  const text: unknown = Reflect.get(value, DATE_FIELD_NAME);
  if (typeof text !== 'string' || Object.keys(value).length !== 1) return undefined;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined;
}

/**
 * Returns a value in which dates are replaced by objects that JSON can represent. An invalid date becomes null, as in
 * JSON.
 */
export function encodeDatesForJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : { [DATE_FIELD_NAME]: value.toISOString() };
  if (Array.isArray(value)) return mapArrayReusingUnchanged(value, encodeDatesForJson);
  return 'toJSON' in value ? value : mapObjectReusingUnchanged(value, encodeDatesForJson);
}

/**
 * Maps the elements of an array. Returns the original array if no element changes, so that payloads without dates are
 * not copied.
 */
function mapArrayReusingUnchanged(values: unknown[], map: (value: unknown) => unknown): unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, value] of values.entries()) {
    const mapped = map(value);
    if (mapped !== value) (copy ??= [...values])[index] = mapped;
  }
  return copy ?? values;
}

function mapObjectReusingUnchanged(object: object, map: (value: unknown) => unknown): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const mapped = map(value);
    if (mapped !== value) (copy ??= { ...object })[key] = mapped;
  }
  return copy ?? object;
}
