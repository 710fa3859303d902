import { setTimeout as delay } from 'node:timers/promises';

/** Time limit and interval of {@link waitFor}, in milliseconds. */
export interface WaitForConditionOptions {
  /**
   * Maximum time to wait in milliseconds. Default: 30,000, because a machine under load is slow. The wait ends earlier
   * when the condition is met.
   */
  timeoutMs?: number;
  /** Interval between two calls of the polled function, in milliseconds. Default 10. */
  intervalMs?: number;
  /** Description of the awaited condition, for the error message. */
  what?: string;
}

/**
 * Calls a function repeatedly until it returns neither `undefined`, `null` nor `false`. Returns the first other result.
 * If the function throws an error, it is called again.
 *
 * @throws Error after the time limit; its cause is the last error of the function
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitForConditionOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { timeoutMs = 30_000, intervalMs = 10, what = 'the condition' } = options;
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (isConditionResultMet(value)) {
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

function isConditionResultMet<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}
