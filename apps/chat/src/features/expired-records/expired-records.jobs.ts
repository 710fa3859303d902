import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { removeExpiredRecords } from './remove-expired-records.js';

const removeExpiredRecordsJob = defineJob({
  name: 'records.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/**
 * Returns the periodic job that removes old invitations, email address changes, password reset links, idempotency keys
 * and expired API keys.
 */
export function createExpiredRecordJobs({
  config,
  database,
}: {
  readonly config: Pick<ChatConfig, 'EXPIRED_RECORDS_DAYS'>;
  readonly database: Database;
}): FeatureModuleJobs {
  return {
    definitions: [removeExpiredRecordsJob],
    attach(jobs) {
      const expiry = database.background('record expiry');
      jobs.handle(removeExpiredRecordsJob, () => removeExpiredRecords(expiry, config.EXPIRED_RECORDS_DAYS));
    },
  };
}
