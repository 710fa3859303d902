import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { StoredFileDeletionSchedule, type OpenedFileStorage } from '../../infra/storage/index.js';
import { removeUnusedAttachments } from './remove-unused-attachments.js';

const removeUnusedUploadsJob = defineJob({
  name: 'uploads.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic jobs that remove unused uploaded files, with their handlers. */
export function createAttachmentJobs({
  config,
  database: shared,
  events,
  files: { storage },
}: {
  readonly config: Pick<ChatConfig, 'UNUSED_UPLOADS_DAYS'>;
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly files: Pick<OpenedFileStorage, 'storage'>;
}): FeatureModuleJobs {
  return {
    definitions: [removeUnusedUploadsJob],
    attach(jobs) {
      const database = shared.background('upload expiry');
      const files = new StoredFileDeletionSchedule(database, storage);
      const tools = { database, events, files, days: config.UNUSED_UPLOADS_DAYS };
      jobs.handle(removeUnusedUploadsJob, (_nothing, { signal }) => removeUnusedAttachments(tools, signal));
    },
  };
}
