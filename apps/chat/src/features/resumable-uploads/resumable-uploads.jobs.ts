import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { StoredFileDeletionSchedule, type OpenedFileStorage } from '../../infra/storage/index.js';
import { removeExpiredUploads } from './remove-expired-uploads.js';
import type { ResumableUploadConfiguration } from './settings.js';

const expireResumableUploadsJob = defineJob({
  name: 'resumable-uploads.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic job that removes expired resumable uploads. */
export function createResumableUploadJobs({
  config,
  database: shared,
  files: { storage },
}: {
  readonly config: Pick<ResumableUploadConfiguration, 'RESUMABLE_UPLOAD_HOURS'>;
  readonly database: Database;
  readonly files: Pick<OpenedFileStorage, 'storage'>;
}): FeatureModuleJobs {
  return {
    definitions: [expireResumableUploadsJob],
    attach(jobs) {
      const database = shared.background('upload expiry');
      const tools = {
        database,
        files: new StoredFileDeletionSchedule(database, storage),
        hours: config.RESUMABLE_UPLOAD_HOURS,
      };
      jobs.handle(expireResumableUploadsJob, (_nothing, { signal }) => removeExpiredUploads(tools, signal));
    },
  };
}
