/** When failed deliveries are tried again. Times in milliseconds. */
export interface RetryPolicy {
  /** Number of retries after the first attempt; 0 makes the first failure final. */
  readonly retries: number;
  /** Wait before the first retry. */
  readonly initialMs: number;
  /** Factor by which each wait is multiplied to get the next. */
  readonly factor: number;
  /** Maximum wait, regardless of the receiver's Retry-After. */
  readonly maxMs: number;
  /** Share of a wait by which it may be shorter or longer, from 0 to 1: receivers that failed together recover apart. */
  readonly jitter: number;
}

/**
 * Milliseconds until the next attempt, or null when none is left.
 *
 * @param failures Attempts made so far, all failed, from 1.
 * @param retryAfterMs What the receiver asked for; never waited less than that, up to the policy's maximum.
 * @param random In [0, 1).
 */
export function nextDelayMs(
  policy: RetryPolicy,
  { failures, retryAfterMs = 0, random }: { failures: number; retryAfterMs?: number | undefined; random: number },
): number | null {
  if (failures > policy.retries) return null;
  const wait = policy.initialMs * policy.factor ** (failures - 1);
  const spread = wait * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.min(Math.max(spread, retryAfterMs), policy.maxMs));
}

/** Milliseconds that a `Retry-After` header asks for: seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
