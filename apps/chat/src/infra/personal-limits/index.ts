export { personalLimitsEnv, requireRowsBelowLimit, requireBytesBelowLimit } from './limits-per-user.js';
