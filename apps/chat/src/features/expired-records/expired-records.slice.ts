import { defineSlice } from '../../events/define-slice.js';
import { expiredRecordJobs } from './expired-records.jobs.js';

/** The slice of expired records. */
export const expiredRecordsSlice = defineSlice('expired-records', {
  jobs: expiredRecordJobs,
});
