import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { StoredFileLedger, type OpenedStorage } from '../../infra/storage/index.js';
import { removeExpiredUploads } from './remove-expired-uploads.js';
import type { ResumableUploadConfig } from './settings.js';

const expireResumableUploadsJob = defineJob({
  name: 'resumable-uploads.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic job that removes expired resumable uploads. */
export function resumableUploadJobs({
  config,
  database: shared,
  files: { storage },
}: {
  readonly config: Pick<ResumableUploadConfig, 'RESUMABLE_UPLOAD_HOURS'>;
  readonly database: Database;
  readonly files: Pick<OpenedStorage, 'storage'>;
}): SliceJobs {
  return {
    definitions: [expireResumableUploadsJob],
    attach(jobs) {
      const database = shared.background('upload expiry');
      const tools = { database, files: new StoredFileLedger(database, storage), hours: config.RESUMABLE_UPLOAD_HOURS };
      jobs.handle(expireResumableUploadsJob, (_nothing, { signal }) => removeExpiredUploads(tools, signal));
    },
  };
}
