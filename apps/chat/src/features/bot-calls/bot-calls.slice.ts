import { defineSlice } from '../../events/define-feature-slice.js';
import { botCallJobs } from './bot-calls.jobs.js';
import { botCallEnv } from './settings.js';

/** Feature module (slice) of requests to the services of outgoing webhook bots: its jobs and environment variables. */
export const botCallsSlice = defineSlice('bot-calls', {
  jobs: botCallJobs,
  configuration: botCallEnv,
});
