import { defineSlice } from '../../events/define-feature-slice.js';
import { missedMessageJobs } from './missed-messages.jobs.js';
import { missedMessagesEnv } from './settings.js';

/** Feature module (slice) of missed-message emails. The module declares job and environment variables. */
export const missedMessagesSlice = defineSlice('missed-messages', {
  jobs: missedMessageJobs,
  configuration: missedMessagesEnv,
});
