export { countedAddress } from '@switchboard/auth';
export { RateLimiter, type RateLimitResult } from './rate-limiter.js';
export {
  parseRateLimitRules,
  rateLimitEnv,
  type RateLimitRule,
  rateLimitRulesOf,
  defaultRateLimitRules,
} from './rate-limit-rules.js';
