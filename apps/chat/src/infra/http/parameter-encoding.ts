import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';
import { replaceLoneSurrogates } from '../normalized-text-key.js';
import { checkParameterAgainstLimits, type RequestLimits } from './request-limits.js';

/**
 * Encoding of a request parameter. Strings are sent as plain text, and all other values as JSON text
 * (docs/contract/chat.md 1.3).
 */
export type ParameterEncoding = 'text' | 'boolean' | 'json';

/** Returns the encoding of a request parameter with the given schema. Strings and enums are sent as plain text. */
export function getParameterEncoding(schema: unknown): ParameterEncoding {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return 'text';
  return inner instanceof z.ZodBoolean ? 'boolean' : 'json';
}

/** Returns the inner schema of a zod schema: removes the default, optionality and transformations. */
export function unwrapSchema(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return unwrapSchema(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapSchema(schema.in) : schema;
}

const booleanByText: Readonly<Record<string, boolean>> = { true: true, True: true, false: false, False: false };

/**
 * Decodes the text of one request parameter into the value that the parameter's schema validates.
 *
 * @throws ApplicationError BAD_REQUEST for null bytes, for values that exceed a limit, and for invalid JSON
 */
export function decodeParameterText(
  name: string,
  text: string,
  kind: ParameterEncoding,
  limits: RequestLimits,
): unknown {
  if (kind === 'text') checkParameterAgainstLimits(name, text, limits);
  rejectNullCharactersInParameter(name, text);
  if (kind === 'text') return replaceLoneSurrogates(text);
  if (kind === 'boolean' && Object.hasOwn(booleanByText, text)) return booleanByText[text];
  const value = parseJsonParameter(name, text, JSON.parse);
  checkParameterAgainstLimits(name, value, limits);
  // Only escapes can introduce what the database rejects: a null byte or half of a surrogate pair.
  return text.includes('\\u') ? parseJsonParameter(name, text, (escaped) => parseEscapedJson(name, escaped)) : value;
}

function parseJsonParameter(name: string, text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw createBadRequestError(`Argument "${name}" is not valid JSON.`);
    throw error;
  }
}

/**
 * Parses the JSON text of a parameter that contains escape sequences. The caller must check the nesting depth first,
 * because the parser is recursive.
 */
function parseEscapedJson(name: string, text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    rejectNullCharactersInParameter(name, key);
    if (typeof value !== 'string') return value;
    rejectNullCharactersInParameter(name, value);
    return replaceLoneSurrogates(value);
  });
}

function rejectNullCharactersInParameter(name: string, text: string): void {
  if (!text.includes('\u0000')) return;
  throw createBadRequestError(
    name === 'content' ? 'Message must not contain null bytes' : `${name} must not contain null bytes`,
  );
}
