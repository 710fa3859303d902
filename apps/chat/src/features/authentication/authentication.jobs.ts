import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { removeExpiredBrowserSessions } from './sessions.repository.js';

const removeExpiredSessionsJob = defineJob({
  name: 'sessions.expire',
  payload: z.strictObject({}),
  attempts: 3,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic job that removes expired browser sessions, with the handler of the job. */
export function createSessionJobs({ database }: { readonly database: Database }): FeatureModuleJobs {
  return {
    definitions: [removeExpiredSessionsJob],
    attach(jobs) {
      jobs.handle(removeExpiredSessionsJob, () => removeExpiredBrowserSessions(database.background('session expiry')));
    },
  };
}
