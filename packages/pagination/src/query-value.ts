import { z } from 'zod';

/** A query parameter as HTTP frameworks decode it: absent, once, or several times. */
export const queryValue = z.union([z.string(), z.array(z.string())]).optional();

/** The value that counts: the last one, as Django reads repeated parameters. */
export function lastValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * A non-negative integer in decimal digits, spaces around it allowed; undefined for anything else. Numbers past
 * 2^53-1 become 2^53-1: no row is there, and PostgreSQL can still compare with it.
 */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\+?\d+\s*$/.test(value)) return undefined;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
