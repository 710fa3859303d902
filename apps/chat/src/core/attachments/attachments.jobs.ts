import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { ChatEvents } from '../../events/chat-events.js';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { StoredFileLedger, type OpenedStorage } from '../../infra/storage/index.js';
import { removeUnusedAttachments } from './remove-unused-attachments.js';

const expireUploadsJob = defineJob({
  name: 'uploads.expire',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Returns the periodic jobs that remove unused uploaded files, with their handlers. */
export function attachmentJobs({
  config,
  database: shared,
  events,
  files: { storage },
}: {
  readonly config: Pick<ChatConfig, 'UNUSED_UPLOADS_DAYS'>;
  readonly database: Database;
  readonly events: ChatEvents;
  readonly files: Pick<OpenedStorage, 'storage'>;
}): SliceJobs {
  return {
    definitions: [expireUploadsJob],
    attach(jobs) {
      const database = shared.background('upload expiry');
      const files = new StoredFileLedger(database, storage);
      const tools = { database, events, files, days: config.UNUSED_UPLOADS_DAYS };
      jobs.handle(expireUploadsJob, (_nothing, { signal }) => removeUnusedAttachments(tools, signal));
    },
  };
}
