import { defineSlice } from '../../events/define-slice.js';
import { messageRetentionJobs } from './message-retention.jobs.js';

/** The slice of message retention, which consists of jobs. */
export const messageRetentionSlice = defineSlice('message-retention', {
  jobs: messageRetentionJobs,
});
