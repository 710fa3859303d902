import { defineSlice } from '../../events/define-feature-slice.js';
import { messageRetentionJobs } from './message-retention.jobs.js';

/** Feature module (slice) of message retention: its jobs. */
export const messageRetentionSlice = defineSlice('message-retention', {
  jobs: messageRetentionJobs,
});
