import { defineSlice } from '../../events/define-slice.js';
import { botCallJobs } from './bot-calls.jobs.js';
import { botCallEnv } from './settings.js';

/** The slice of calls to the services of bots: jobs and configuration. */
export const botCallsSlice = defineSlice('bot-calls', {
  jobs: botCallJobs,
  configuration: botCallEnv,
});
