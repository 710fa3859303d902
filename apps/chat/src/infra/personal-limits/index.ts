export {
  storageLimitsPerUserVariables,
  requireUserRowsBelowLimit,
  requireScheduledBytesBelowLimit,
} from './limits-per-user.js';
