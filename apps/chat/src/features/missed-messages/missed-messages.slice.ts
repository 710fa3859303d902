import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { createMissedMessageJobs } from './missed-messages.jobs.js';
import { missedMessagesEnvironmentVariables } from './settings.js';

/** Feature module (slice) of missed-message emails. The module declares job and environment variables. */
export const missedMessagesFeatureModule = defineFeatureModule('missed-messages', {
  jobs: createMissedMessageJobs,
  configuration: missedMessagesEnvironmentVariables,
});
