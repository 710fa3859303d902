import { setTimeout as delay } from 'node:timers/promises';

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /**
   * Maximum time to wait in milliseconds. The default of 30,000 is long, because a machine under load is slow. When the
   * condition is met, the wait ends earlier.
   */
  timeoutMs?: number;
  /** Interval between calls of the function in milliseconds. Default 10. */
  intervalMs?: number;
  /** Name of the awaited condition, for the message of the error. */
  what?: string;
}

/**
 * Calls a function repeatedly until it returns neither `undefined`, `null` nor `false`. Returns this result. A thrown
 * error counts as no result.
 *
 * @throws Error after the time limit, with the last error as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { timeoutMs = 30_000, intervalMs = 10, what = 'the condition' } = options;
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (isConditionMet(value)) {
        return value;
      }
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await delay(intervalMs);
  } while (performance.now() < end);
  throw new Error(`Waited ${timeoutMs} ms for ${what}`, { cause });
}

function isConditionMet<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}
