export { personalLimitsEnv, refuseTooMany } from './personal-limits.js';
