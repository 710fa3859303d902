import { defineSlice } from '../../events/define-feature-slice.js';
import { messageRetentionJobs } from './message-retention.jobs.js';

/** Feature module (slice) of message retention. The module declares jobs. */
export const messageRetentionSlice = defineSlice('message-retention', {
  jobs: messageRetentionJobs,
});
