import type { RateLimitResult } from './rate-limiter.js';

/**
 * Returns the response headers of a request that a rate limit counted. The headers are `X-RateLimit-*` for the rule
 * with the fewest remaining requests, and `RateLimit` and `RateLimit-Policy` for all rules
 * (draft-ietf-httpapi-ratelimit-headers-10). The name of a policy is the name of the limit with the period of the rule,
 * such as `user-60s`.
 *
 * @param limit Name of the limit, such as `user`.
 */
export function createRateLimitHeaders(limit: string, taken: RateLimitResult): Record<string, string> {
  return {
    'x-ratelimit-limit': String(taken.limit),
    'x-ratelimit-remaining': String(taken.remaining),
    'x-ratelimit-reset': String(Math.ceil(taken.resetsAtMs / 1000)),
    'ratelimit-policy': taken.rules
      .map(({ max, windowSeconds }) => `"${limit}-${windowSeconds}s";q=${max};w=${windowSeconds}`)
      .join(', '),
    ratelimit: taken.rules
      .map(({ windowSeconds, remaining, nextInMs }) => {
        // Nothing is counted if another rule refused the first request of the period.
        const next = nextInMs === 0 ? '' : `;t=${Math.ceil(nextInMs / 1000)}`;
        return `"${limit}-${windowSeconds}s";r=${remaining}${next}`;
      })
      .join(', '),
  };
}
