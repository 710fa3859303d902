import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { createExpiredRecordJobs } from './expired-records.jobs.js';

/**
 * Feature module (slice) whose job removes old invitations, email address changes, password reset links, idempotency
 * keys and expired API keys.
 */
export const expiredRecordsFeatureModule = defineFeatureModule('expired-records', {
  jobs: createExpiredRecordJobs,
});
