export { getLoginCounterKey } from '@switchboard/auth';
export { rateLimitHeaders } from './rate-limit-headers.js';
export { RateLimiter, type RateLimitResult } from './rate-limiter.js';
export {
  parseRateLimitRules,
  rateLimitEnv,
  type RateLimitRule,
  getRateLimitRules,
  defaultRateLimitRules,
} from './rate-limit-rules.js';
