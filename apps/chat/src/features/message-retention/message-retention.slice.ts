import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { createMessageRetentionJobs } from './message-retention.jobs.js';

/** Feature module (slice) of message retention. The module declares jobs. */
export const messageRetentionFeatureModule = defineFeatureModule('message-retention', {
  jobs: createMessageRetentionJobs,
});
