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
  const text = toPayloadJson(payload);
  const stored: unknown = JSON.parse(text);
  return { text, stored, parsed: schema.parse(decodeDates(stored)) };
}

function toPayloadJson(payload: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(encodeDates(payload));
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new QueueUsageError('The payload cannot be written as JSON', { cause });
  return text;
}

/** Returns a stored JSON value in which the objects that represent dates are replaced by dates. */
export function decodeDates(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapArrayIfChanged(value, decodeDates);
  return parseMarkedDate(value) ?? mapObjectIfChanged(value, decodeDates);
}

/**
 * Returns the date that a stored object represents. Returns undefined for any other object, including similar objects
 * in a user's payload.
 */
function parseMarkedDate(value: object): Date | undefined {
  const text: unknown = Reflect.get(value, DATE_FIELD_NAME);
  if (typeof text !== 'string' || Object.keys(value).length !== 1) return undefined;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined;
}

/**
 * Returns a value in which dates are replaced by objects that JSON can represent. An invalid date becomes null, as in
 * JSON.
 */
export function encodeDates(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : { [DATE_FIELD_NAME]: value.toISOString() };
  if (Array.isArray(value)) return mapArrayIfChanged(value, encodeDates);
  return 'toJSON' in value ? value : mapObjectIfChanged(value, encodeDates);
}

/**
 * Maps the elements of an array. Returns the original array if no element changes, so that payloads without dates are
 * not copied.
 */
function mapArrayIfChanged(values: unknown[], map: (value: unknown) => unknown): unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, value] of values.entries()) {
    const mapped = map(value);
    if (mapped !== value) (copy ??= [...values])[index] = mapped;
  }
  return copy ?? values;
}

function mapObjectIfChanged(object: object, map: (value: unknown) => unknown): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const mapped = map(value);
    if (mapped !== value) (copy ??= { ...object })[key] = mapped;
  }
  return copy ?? object;
}
