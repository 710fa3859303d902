import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { StoredFileDeletionSchedule, type OpenedFileStorage } from '../../infra/storage/index.js';
import { deleteDueRealms } from './delete-realms.js';

/**
 * Periodic job that deletes the data of deactivated realms. If a run reaches its time limit, the next run continues the
 * deletion.
 */
const deleteRealmsJob = defineJob({
  name: 'realms.delete',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Objects of the server process that {@link createRealmDeactivationJobs} depends on. */
export interface RealmDeletionJobDependencies {
  readonly database: Database;
  readonly files: Pick<OpenedFileStorage, 'storage'>;
}

/** Returns the job that deletes the data of deactivated realms when the deletion is due. */
export function createRealmDeactivationJobs({
  database: shared,
  files: { storage },
}: RealmDeletionJobDependencies): FeatureModuleJobs {
  return {
    definitions: [deleteRealmsJob],
    attach(jobs) {
      const database = shared.background('realm deletion');
      const tools = { database, files: new StoredFileDeletionSchedule(database, storage) };
      jobs.handle(deleteRealmsJob, (_nothing, { signal }) => deleteDueRealms(tools, signal));
    },
  };
}
