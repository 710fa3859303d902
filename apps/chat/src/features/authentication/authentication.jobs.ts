import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { removeExpiredSessions } from './sessions.repository.js';

const expireSessionsJob = defineJob({
  name: 'sessions.expire',
  payload: z.strictObject({}),
  attempts: 3,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic job that removes expired browser sessions, with the handler of the job. */
export function sessionJobs({ database }: { readonly database: Database }): SliceJobs {
  return {
    definitions: [expireSessionsJob],
    attach(jobs) {
      jobs.handle(expireSessionsJob, () => removeExpiredSessions(database.background('session expiry')));
    },
  };
}
