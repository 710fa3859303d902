import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import type { FaultPointListener, Outbox } from '@switchboard/queue';
import type { ChatConfig } from '../../../config.js';
import type { AlertWordAndMuteCache } from '../../../core/alert-words-and-mutes/index.js';
import { ClientProgramIdCache, SendMessage } from '../../../core/messages/index.js';
import type { RealmMarkdownSettingsCache } from '../../../core/realm-markdown-settings/index.js';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import type { MessageRenderer } from '../../../infra/markdown/index.js';
import { scheduledDeliveryNotificationName } from '../wake-scheduled-message-worker.js';
import { DeliverScheduledMessages } from './deliver-scheduled-messages.js';
import { ScheduledMessageWorker } from './scheduled-message-worker.js';

/** Objects of the server process that the delivery of scheduled messages depends on. */
export interface ScheduledMessageWorkerRuntimeObjects {
  readonly config: Pick<ChatConfig, 'CLIENT_NAMES'> & { readonly SCHEDULED_MESSAGES_POLL_MS: number };
  readonly database: Database;
  readonly outbox: Outbox;
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettingsCache;
  readonly attention: AlertWordAndMuteCache;
  readonly invalidations: Pick<CredentialInvalidationNotifier, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faultPoint: FaultPointListener | undefined;
}

/**
 * Returns the worker that sends scheduled messages. Processes that add or change a scheduled message wake the worker.
 */
export function openScheduledMessageWorker(runtime: ScheduledMessageWorkerRuntimeObjects): ScheduledMessageWorker {
  const {
    config,
    database,
    events,
    outbox,
    renderer,
    realmContents: contents,
    attention,
    clock,
    logger,
    faultPoint,
  } = runtime;
  const clients = new ClientProgramIdCache(database, config);
  const sendMessage = new SendMessage(database, renderer, events, clients, contents, attention, outbox);
  const parts = { database, sendMessage, events, outbox, renderer, contents, clients, clock, logger, faultPoint };
  const worker = new ScheduledMessageWorker({
    delivery: new DeliverScheduledMessages(parts),
    database,
    clock,
    logger,
    pollMs: config.SCHEDULED_MESSAGES_POLL_MS,
  });
  runtime.invalidations.listen({
    invalidated: (tag) => {
      if (tag === scheduledDeliveryNotificationName) worker.wake();
    },
    lost: () => {},
  });
  return worker;
}
