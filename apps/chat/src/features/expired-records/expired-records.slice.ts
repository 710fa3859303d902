import { defineSlice } from '../../events/define-slice.js';
import { expiredRecordJobs } from './expired-records.jobs.js';

/**
 * Feature module (slice) that removes old invitations, address changes, links for new passwords, keys of sends and
 * expired API keys by a job.
 */
export const expiredRecordsSlice = defineSlice('expired-records', {
  jobs: expiredRecordJobs,
});
