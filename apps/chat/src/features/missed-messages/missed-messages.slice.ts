import { defineSlice } from '../../events/define-slice.js';
import { missedMessageJobs } from './missed-messages.jobs.js';
import { missedMessagesEnv } from './settings.js';

/** The slice of missed-message emails: a job and configuration. */
export const missedMessagesSlice = defineSlice('missed-messages', {
  jobs: missedMessageJobs,
  configuration: missedMessagesEnv,
});
