import { defineSlice } from '../../events/define-slice.js';
import { softDeactivationJobs } from './soft-deactivation.jobs.js';

/** The slice of soft deactivation, which consists of jobs. */
export const softDeactivationSlice = defineSlice('soft-deactivation', {
  jobs: softDeactivationJobs,
});
