import { z } from 'zod';

/**
 * Schema of a query parameter as HTTP frameworks decode it: undefined, a text, or a list of texts if it is repeated.
 */
export const queryValueSchema = z.union([z.string(), z.array(z.string())]).optional();

/** Returns the last value of a repeated query parameter, as Django does. */
export function getLastQueryValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * Parses a query parameter that is a non-negative integer in decimal digits; spaces around it are ignored. Returns
 * undefined for other texts. Larger numbers become 2^53-1, which PostgreSQL can compare with every id and position.
 */
export function parseNonNegativeInteger(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\+?\d+\s*$/.test(value)) return undefined;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
