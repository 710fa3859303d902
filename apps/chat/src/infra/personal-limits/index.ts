export { personalLimitsEnv, refuseTooMany, refuseTooManyBytes } from './personal-limits.js';
