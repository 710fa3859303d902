import { z } from 'zod';

/**
 * Schema of a query parameter in the form that HTTP frameworks decode: undefined, a string, or a list of strings for a
 * repeated parameter.
 */
export const queryValueSchema = z.union([z.string(), z.array(z.string())]).optional();

/**
 * Returns the last value of a repeated query parameter, with the same result as Django. Returns undefined for a missing
 * parameter.
 */
export function getLastQueryValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * Parses a query parameter that is a non-negative integer in decimal digits; spaces around the digits are ignored.
 * Returns undefined for other texts. Numbers above 2^53-1 become 2^53-1, which PostgreSQL can compare with every id and
 * position.
 */
export function parseNonNegativeInteger(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\+?\d+\s*$/.test(value)) return undefined;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
