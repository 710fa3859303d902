import { z } from 'zod';

/**
 * Schema of a query parameter as HTTP frameworks decode it: undefined, a text, or a list of texts if it is repeated.
 */
export const queryValue = z.union([z.string(), z.array(z.string())]).optional();

/** Returns the last value of a repeated query parameter, as Django does. */
export function lastValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * Parses a query parameter that is a non-negative integer in decimal digits, optionally between spaces; returns
 * undefined for other texts. Numbers above 2^53-1 become 2^53-1: no row has such a position or id, and PostgreSQL can
 * still compare with it.
 */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\+?\d+\s*$/.test(value)) return undefined;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
