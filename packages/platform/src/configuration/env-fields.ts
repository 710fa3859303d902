import { z } from 'zod';

/** A whole number written in decimal digits, within the bounds given (both inclusive). */
export function envInteger(bounds: { min?: number; max?: number } = {}) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** `true` or `false`, nothing else: a mistyped switch must stop the boot, not turn itself off. */
export function envBoolean() {
  return z.enum(['true', 'false']).transform((value) => value === 'true');
}

/** Values separated by commas; blanks around them and empty ones are dropped. */
export function envList() {
  return z.string().transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}
