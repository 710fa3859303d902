export { countedAddress } from '@switchboard/auth';
export { RateLimiter } from './rate-limiter.js';
export { parseRules, rateLimitEnv, type RateLimitRule, rulesOf, shippedRules } from './rules.js';
