export { getLoginAttemptCounterKey } from '@switchboard/auth';
export { createRateLimitHeaders } from './rate-limit-headers.js';
export { RateLimiter, type RateLimitResult } from './rate-limiter.js';
export {
  parseRateLimitRules,
  rateLimitEnvironmentVariables,
  type RateLimitRule,
  getRateLimitRules,
  productionDefaultRateLimitRules,
} from './rate-limit-rules.js';
