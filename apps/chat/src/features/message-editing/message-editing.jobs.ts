import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { ActiveSubscriberCache } from '../../core/channels/index.js';
import { MessageReaders } from '../../core/message-access/index.js';
import { ClientProgramIdCache } from '../../core/messages/index.js';
import type { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { RunStoredMoves } from './run-stored-moves.action.js';

/** Periodic job that completes moves of messages that a crashed process left unfinished. */
const finishAbandonedMessageMovesJob = defineJob({
  name: 'messages.move',
  payload: z.strictObject({}),
  // Failures are counted per move, and each is logged.
  attempts: 1,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 10_000, payload: {} },
});

/** Returns the jobs that complete moves of messages, with their handlers. */
export function createMessageMoveJobs({
  config,
  database: shared,
  events,
  renderer,
  realmContents,
  subscribers,
  clock,
}: {
  readonly config: Pick<ChatConfig, 'CLIENT_NAMES'>;
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettingsCache;
  readonly subscribers: ActiveSubscriberCache;
  readonly clock: Clock;
}): FeatureModuleJobs {
  return {
    definitions: [finishAbandonedMessageMovesJob],
    attach(jobs) {
      const database = shared.background('message moves');
      const clients = new ClientProgramIdCache(database, config);
      const readers = new MessageReaders(subscribers);
      const moves = new RunStoredMoves(database, renderer, clock, events, clients, realmContents, readers);
      jobs.handle(finishAbandonedMessageMovesJob, (_nothing, { signal }) => moves.finishAbandonedMoves(signal));
    },
  };
}
