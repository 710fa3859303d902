import type { FieldProperties } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import {
  type FieldErrorMessages,
  InputProblem,
  createInvalidInputProblem,
  getJsonTypeName,
} from './invalid-input-problem.js';

/**
 * Kind of a write request: creation of objects (POST), replacement of objects (PUT), or change of some fields (PATCH).
 */
export type ObjectWriteMode = 'create' | 'replace' | 'update';

/** Error messages of an object by field name. */
type ErrorMessagesByField = Record<string, FieldErrorMessages>;

/** One object of a write request, from the parsed request body to the stored row. */
export interface ParsedRequestObject {
  /** Id of the object to update. Null if the write creates the object. */
  id: number | null;
  /**
   * Values that the client sent for the object, by field name. A value may stand for a related object that was not
   * looked up yet.
   */
  readonly values: Record<string, unknown>;
  readonly problems: ErrorMessagesByField;
  /** Message that the client sent for the change log. Absent if the client sent no message. */
  message?: string;
}

const maxChangelogMessageLength = 200;

/**
 * Parses the request body of one object. Ignores unknown and read-only keys, and collects errors instead of throwing
 * them (docs/contract/inventory.md 1.5, 1.10).
 */
export function parseObjectRequestBody(
  model: ModelDefinition,
  registry: ModelRegistry,
  body: unknown,
  mode: ObjectWriteMode,
): ParsedRequestObject {
  const item: ParsedRequestObject = { id: null, values: {}, problems: {} };
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    item.problems['non_field_errors'] = [`Invalid data. Expected a dictionary, but got ${getJsonTypeName(body)}.`];
    return item;
  }
  for (const [name, field] of Object.entries(model.fields)) {
    const { readOnly, immutable, required } = field.traits;
    if (readOnly || (immutable && mode !== 'create')) continue;
    if (!Object.hasOwn(body, name)) {
      if (required && mode !== 'update') item.problems[name] = ['This field is required.'];
      if (mode === 'replace' && model.resetOnPut.includes(name)) item.values[name] = getFieldDefaultValue(field.traits);
      continue;
    }
    try {
      item.values[name] = field.input(Reflect.get(body, name), { name, registry, model });
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      item.problems[name] = error.messages;
    }
  }
  try {
    const message = parseChangelogMessage(body);
    if (message !== '') item.message = message;
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    item.problems['changelog_message'] = error.messages;
  }
  return item;
}

/**
 * Returns the `changelog_message` of a request body; '' for a request body without a message
 * (docs/contract/inventory.md 1.10).
 *
 * @throws InputProblem
 */
export function parseChangelogMessage(body: unknown): string {
  const message: unknown = body !== null && typeof body === 'object' ? Reflect.get(body, 'changelog_message') : null;
  if (message === undefined || message === null) return '';
  if (typeof message !== 'string' || !message.isWellFormed()) throw createInvalidInputProblem('Not a valid string.');
  if (message.includes('\0')) throw createInvalidInputProblem('Null characters are not allowed.');
  const given = message.trim();
  if ([...given].length > maxChangelogMessageLength)
    throw createInvalidInputProblem(`Ensure this field has no more than ${maxChangelogMessageLength} characters.`);
  return given;
}

export function addFieldErrorMessages(item: ParsedRequestObject, key: string, messages: readonly string[]): void {
  const known = item.problems[key];
  item.problems[key] = Array.isArray(known) ? [...known, ...messages] : messages;
}

/** Returns true if no errors were found in an object of a write. */
export function hasNoFieldErrors(item: ParsedRequestObject): boolean {
  return Object.keys(item.problems).length === 0;
}

/** Returns the value that a field gets in a new object if the client sends no value. */
export function getFieldDefaultValue({ default: made }: FieldProperties): unknown {
  return typeof made === 'function' ? made() : made;
}
