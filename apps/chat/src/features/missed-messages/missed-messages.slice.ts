import { defineSlice } from '../../events/define-slice.js';
import { missedMessageJobs } from './missed-messages.jobs.js';
import { missedMessagesEnv } from './settings.js';

/** The slice of missed messages. */
export const missedMessagesSlice = defineSlice('missed-messages', {
  jobs: missedMessageJobs,
  configuration: missedMessagesEnv,
});
