import type { Database } from '@switchboard/database';
import { defineJob, type EventLog } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { softDeactivateUsers } from './soft-deactivate-users.js';
import { removeOldSubscriptionChanges } from './remove-old-subscription-changes.js';

/** Periodic job that removes old subscription changes. Runs once a day, because it reads all subscription changes. */
const removeOldSubscriptionChangesJob = defineJob({
  name: 'subscription-changes.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 86_400_000, payload: {} },
});

/**
 * Periodic job that soft-deactivates inactive users. Runs once an hour, because the minimum period of inactivity is a
 * day.
 */
const softDeactivateUsersJob = defineJob({
  name: 'users.deactivate-softly',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic jobs of soft deactivation, with their handlers. */
export function createSoftDeactivationJobs({
  config,
  database,
  eventLog,
}: {
  readonly config: Pick<ChatConfig, 'EXPIRED_RECORDS_DAYS' | 'SOFT_DEACTIVATION_DAYS'>;
  readonly database: Database;
  readonly eventLog: EventLog;
}): FeatureModuleJobs {
  return {
    definitions: [removeOldSubscriptionChangesJob, softDeactivateUsersJob],
    attach(jobs) {
      const expiry = database.background('record expiry');
      jobs.handle(removeOldSubscriptionChangesJob, (_nothing, { signal }) =>
        removeOldSubscriptionChanges(expiry, config.EXPIRED_RECORDS_DAYS, signal),
      );
      const softly = {
        database: database.background('soft deactivation'),
        eventLog,
        days: config.SOFT_DEACTIVATION_DAYS,
      };
      jobs.handle(softDeactivateUsersJob, (_nothing, { signal }) => softDeactivateUsers(softly, signal));
    },
  };
}
