import { z } from 'zod';

/**
 * Returns the schema of an environment variable that is a whole number in decimal digits, within the given bounds (both
 * inclusive).
 */
export function integerVariableSchema(bounds: { min?: number; max?: number } = {}) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/**
 * Returns the schema of an environment variable that is `true` or `false`. Any other value is an error that prevents
 * the start of the service, so that a mistyped value is never treated as `false`.
 */
export function booleanVariableSchema() {
  return z.enum(['true', 'false']).transform((value) => value === 'true');
}

/**
 * Returns the schema of an environment variable with values separated by commas. Spaces around values are removed, and
 * empty values are omitted.
 */
export function listVariableSchema() {
  return z.string().transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

/**
 * Returns the schema of an environment variable with `id:value` pairs separated by commas, in the order of the
 * variable. Spaces around ids and values are removed.
 */
export function idValuePairsVariableSchema() {
  return z
    .string()
    .regex(/^[^:,]+:[^,]+(,[^:,]+:[^,]+)*$/, 'must read id:value,id:value')
    .transform((text) =>
      text.split(',').map((pair): readonly [string, string] => {
        const colon = pair.indexOf(':');
        return [pair.slice(0, colon).trim(), pair.slice(colon + 1).trim()];
      }),
    );
}

/**
 * Returns the schema of an environment variable with `name=value` pairs separated by commas. Values are
 * percent-encoded, in the same way as in environment variables of OpenTelemetry. Spaces around names and values are
 * removed.
 */
export function nameValuePairsVariableSchema() {
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [decodeAssignment(pair)]));
    if (pairs.every((pair) => pair !== null)) return Object.fromEntries(pairs);
    context.addIssue({ code: 'custom', message: 'must read name=value,name=value with percent-encoded values' });
    return z.NEVER;
  });
}

/** Returns the name and the decoded value of a `name=value` pair. Returns null if the pair is not well-formed. */
function decodeAssignment(pair: string): readonly [string, string] | null {
  const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) return null;
  try {
    return [name, decodeURIComponent(value)];
  } catch {
    return null;
  }
}
