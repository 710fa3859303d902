import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { createSoftDeactivationJobs } from './soft-deactivation.jobs.js';

/** Feature module (slice) of soft deactivation, which provides its periodic jobs. */
export const softDeactivationFeatureModule = defineFeatureModule('soft-deactivation', {
  jobs: createSoftDeactivationJobs,
});
