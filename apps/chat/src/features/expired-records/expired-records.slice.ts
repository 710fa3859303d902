import { defineSlice } from '../../events/define-feature-slice.js';
import { expiredRecordJobs } from './expired-records.jobs.js';

/**
 * Feature module (slice) whose job removes old invitations, email address changes, password reset links, idempotency
 * keys and expired API keys.
 */
export const expiredRecordsSlice = defineSlice('expired-records', {
  jobs: expiredRecordJobs,
});
