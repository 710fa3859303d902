export { personalLimitsEnv, rejectTooManyRows, rejectTooManyBytes } from './limits-per-user.js';
