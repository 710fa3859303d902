import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { createBotServiceRequestJobs } from './bot-calls.jobs.js';
import { botServiceEnvironmentVariables } from './settings.js';

/** Feature module (slice) of requests to the services of outgoing webhook bots: its jobs and environment variables. */
export const botServiceRequestsFeatureModule = defineFeatureModule('bot-calls', {
  jobs: createBotServiceRequestJobs,
  configuration: botServiceEnvironmentVariables,
});
