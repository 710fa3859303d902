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

/** `id:value` pairs separated by commas, in their order. Blanks around ids and values are dropped. */
export function envPairs() {
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
