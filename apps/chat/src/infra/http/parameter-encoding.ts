import { z } from 'zod';
import { badRequest } from '../../errors.js';
import { replaceLoneSurrogates } from '../normalized-text-key.js';
import { checkLimits, type RequestLimits } from './request-limits.js';

/** Encoding of a request parameter: strings raw, everything else as JSON text (docs/contract/chat.md 1.3). */
export type ParameterEncoding = 'text' | 'boolean' | 'json';

/** Returns the encoding of a parameter with this schema: strings and enums are sent as plain text. */
export function parameterEncodingOf(schema: unknown): ParameterEncoding {
  const inner = innerSchema(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return 'text';
  return inner instanceof z.ZodBoolean ? 'boolean' : 'json';
}

/** Returns a schema without its default, optionality and transformations. */
export function innerSchema(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return innerSchema(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? innerSchema(schema.in) : schema;
}

const booleanByText: Readonly<Record<string, boolean>> = { true: true, True: true, false: false, False: false };

/**
 * Decodes the text of one request parameter into the value that its schema validates.
 *
 * @throws AppError BAD_REQUEST for null bytes, for values that exceed a limit, and for invalid JSON
 */
export function decodeParameterText(
  name: string,
  text: string,
  kind: ParameterEncoding,
  limits: RequestLimits,
): unknown {
  if (kind === 'text') checkLimits(name, text, limits);
  refuseNullBytes(name, text);
  if (kind === 'text') return replaceLoneSurrogates(text);
  if (kind === 'boolean' && Object.hasOwn(booleanByText, text)) return booleanByText[text];
  const value = readJson(name, text, JSON.parse);
  checkLimits(name, value, limits);
  // Only escapes can introduce what the database rejects: a null byte or half of a surrogate pair.
  return text.includes('\\u') ? readJson(name, text, (escaped) => parseEscaped(name, escaped)) : value;
}

function readJson(name: string, text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`Argument "${name}" is not valid JSON.`);
    throw error;
  }
}

/**
 * Parses JSON text that contains escapes. The depth of the JSON must be checked before, because parsing is recursive.
 */
function parseEscaped(name: string, text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    refuseNullBytes(name, key);
    if (typeof value !== 'string') return value;
    refuseNullBytes(name, value);
    return replaceLoneSurrogates(value);
  });
}

function refuseNullBytes(name: string, text: string): void {
  if (!text.includes('\u0000')) return;
  throw badRequest(name === 'content' ? 'Message must not contain null bytes' : `${name} must not contain null bytes`);
}
