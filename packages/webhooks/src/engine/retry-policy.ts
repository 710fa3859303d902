/** Schedule by which failed webhook deliveries are retried. Times are in milliseconds. */
export interface DeliveryRetryPolicy {
  /** Number of retries after the first attempt of a delivery. With 0, the first failure is final. */
  readonly retries: number;
  /** Time before the first retry of a delivery, in milliseconds. */
  readonly initialMs: number;
  /** Factor by which the delay before each further retry grows. */
  readonly factor: number;
  /**
   * Maximum time before a retry in milliseconds, even if the receiver's `Retry-After` header requests a longer time.
   */
  readonly maxMs: number;
  /**
   * Random variation of the time before a retry, as a fraction of that time from 0 to 1. The variation spreads retries
   * of deliveries that failed at the same time.
   */
  readonly jitter: number;
}

interface FailedDeliveryAttempt {
  readonly failures: number;
  readonly retryAfterMs?: number | undefined;
  readonly random: number;
}

/**
 * Returns the delay before the next attempt of a failed delivery in milliseconds, or null if the policy allows no
 * further attempt.
 *
 * @param attempt `failures`: number of failed attempts so far, from 1. `retryAfterMs`: minimum wait that the receiver
 *   requested, limited by the policy's maximum. `random`: a number in [0, 1).
 */
export function nextDelayMs(policy: DeliveryRetryPolicy, attempt: FailedDeliveryAttempt): number | null {
  const { failures, retryAfterMs = 0, random } = attempt;
  if (failures > policy.retries) return null;
  const wait = policy.initialMs * policy.factor ** (failures - 1);
  const spread = wait * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.min(Math.max(spread, retryAfterMs), policy.maxMs));
}

/**
 * Returns the delay that a `Retry-After` header requests, in milliseconds. The header contains seconds or a date (RFC
 * 9110, 10.2.3).
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
