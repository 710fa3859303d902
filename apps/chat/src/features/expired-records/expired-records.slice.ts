import { defineSlice } from '../../events/define-slice.js';
import { expiredRecordJobs } from './expired-records.jobs.js';

/** The slice that removes expired records by a job. */
export const expiredRecordsSlice = defineSlice('expired-records', {
  jobs: expiredRecordJobs,
});
