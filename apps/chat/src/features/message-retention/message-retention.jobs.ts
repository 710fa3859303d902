import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { ActiveSubscriberCache } from '../../core/channels/index.js';
import { MessageReaders } from '../../core/message-access/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import {
  deleteMessagesOfDeletedUsers,
  createUserMessageDeletionDispatcher,
  userMessageDeletionOutboxType,
} from './user-message-deletion.js';
import { deleteExpiredMessages } from './expire-messages.js';

/** Periodic job that deletes expired messages. If a run reaches its time limit, the next run continues the deletion. */
const deleteExpiredMessagesJob = (config: Pick<ChatConfig, 'RETENTION_PERIOD_MS'>) =>
  defineJob({
    name: 'messages.expire',
    payload: z.strictObject({}),
    attempts: 3,
    concurrency: 1,
    timeoutMs: 600_000,
    repeat: { everyMs: config.RETENTION_PERIOD_MS, payload: {} },
  });

/** Returns the jobs that delete expired messages and messages of deleted users. */
export function createMessageRetentionJobs({
  config,
  database,
  events,
  subscribers,
  clock,
}: {
  readonly config: Pick<ChatConfig, 'RETENTION_BATCH_SIZE' | 'RETENTION_PERIOD_MS'>;
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly subscribers: ActiveSubscriberCache;
  readonly clock: Clock;
}): FeatureModuleJobs {
  const messagesJob = deleteExpiredMessagesJob(config);
  return {
    definitions: [messagesJob],
    attach(jobs, outbox) {
      const retention = {
        database: database.background('message retention'),
        events,
        readers: new MessageReaders(subscribers),
        clock,
        batchSize: config.RETENTION_BATCH_SIZE,
      };
      outbox.dispatch(
        userMessageDeletionOutboxType,
        createUserMessageDeletionDispatcher(() => jobs.add(messagesJob, {})),
      );
      jobs.handle(messagesJob, async (_nothing, { signal }) => {
        await runMaintenanceSteps([
          () => deleteMessagesOfDeletedUsers(retention, signal),
          () => deleteExpiredMessages(retention, signal),
        ]);
      });
    },
  };
}
