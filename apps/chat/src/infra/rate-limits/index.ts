export { countedAddress } from '@switchboard/auth';
export { RateLimiter, type Taken } from './rate-limiter.js';
export { parseRules, rateLimitEnv, type RateLimitName, type RateLimitRule, rulesOf, shippedRules } from './rules.js';
