/** Schedule by which failed deliveries are retried. Times are in milliseconds. */
export interface RetryPolicy {
  /** Number of retries after the first attempt; with 0 the first failure is final. */
  readonly retries: number;
  /** Time before the first retry of a delivery. */
  readonly initialMs: number;
  /** Factor by which the wait before each further retry grows. */
  readonly factor: number;
  /** Maximum time before a retry, even if the receiver's `Retry-After` is longer. */
  readonly maxMs: number;
  /**
   * Random variation of a wait, as a share of the wait from 0 to 1. The variation spreads retries of deliveries that
   * failed at the same time.
   */
  readonly jitter: number;
}

interface FailedAttempt {
  readonly failures: number;
  readonly retryAfterMs?: number | undefined;
  readonly random: number;
}

/**
 * Returns the milliseconds until the next attempt of a delivery, or null if no attempt is left.
 *
 * @param attempt `failures`: number of failed attempts so far, from 1. `retryAfterMs`: minimum wait that the receiver
 *   requested, limited by the policy's maximum. `random`: a number in [0, 1).
 */
export function nextDelayMs(policy: RetryPolicy, attempt: FailedAttempt): number | null {
  const { failures, retryAfterMs = 0, random } = attempt;
  if (failures > policy.retries) return null;
  const wait = policy.initialMs * policy.factor ** (failures - 1);
  const spread = wait * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.min(Math.max(spread, retryAfterMs), policy.maxMs));
}

/**
 * Returns the wait that a `Retry-After` header requests, in milliseconds. The header contains seconds or a date (RFC
 * 9110, 10.2.3).
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
