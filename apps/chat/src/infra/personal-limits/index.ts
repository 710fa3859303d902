export { personalLimitsEnv, refuseTooMany, refuseTooManyBytes } from './limits-per-user.js';
