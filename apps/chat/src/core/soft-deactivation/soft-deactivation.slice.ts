import { defineSlice } from '../../events/define-feature-slice.js';
import { softDeactivationJobs } from './soft-deactivation.jobs.js';

/** Feature module (slice) of soft deactivation, which provides its periodic jobs. */
export const softDeactivationSlice = defineSlice('soft-deactivation', {
  jobs: softDeactivationJobs,
});
