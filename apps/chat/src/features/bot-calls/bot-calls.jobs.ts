import type { Database } from '@switchboard/database';
import type { OutboundClient } from '@switchboard/outbound';
import type { Outbox } from '@switchboard/queue';
import type { ChatConfig } from '../../config.js';
import type { ApiKeyStore } from '../../core/access/api-keys.js';
import type { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { botServiceRequestOutboxMessage, ClientProgramIdCache, SendMessage } from '../../core/messages/index.js';
import type { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import {
  createBotServiceRequestDispatcher,
  defineBotServiceRequestJob,
  requeueLostBotServiceRequests,
  lostBotServiceRequestsJob,
} from './define-bot-call-job.js';
import { SendBotServiceRequest } from './make-bot-call.js';
import type { BotServiceRequestConfiguration } from './settings.js';

/** Process objects for sending requests to the services of outgoing webhook bots. */
export interface BotServiceRequestJobDependencies {
  readonly config: BotServiceRequestConfiguration & Pick<ChatConfig, 'CLIENT_NAMES'>;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly events: ChatEventWriter;
  readonly apiKeys: ApiKeyStore;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettingsCache;
  readonly attention: AlertWordAndMuteCache;
  readonly botServices: OutboundClient;
}

/** Returns the jobs that send requests to the services of outgoing webhook bots, with their handlers. */
export function createBotServiceRequestJobs(services: BotServiceRequestJobDependencies): FeatureModuleJobs {
  const { config, database, events, apiKeys, renderer, realmContents, attention, botServices } = services;
  const botCallJob = defineBotServiceRequestJob(config);
  return {
    definitions: [botCallJob, lostBotServiceRequestsJob],
    attach(jobs, outbox) {
      const clients = new ClientProgramIdCache(database, config);
      const sendMessage = new SendMessage(
        database,
        renderer,
        events,
        clients,
        realmContents,
        attention,
        services.outbox,
      );
      const calls = new SendBotServiceRequest({ database, apiKeys, sendMessage, outbound: botServices });
      outbox.dispatch(botServiceRequestOutboxMessage, createBotServiceRequestDispatcher(jobs, botCallJob));
      jobs.handle(botCallJob, ({ id }, context) => calls.run(id, context));
      jobs.handle(lostBotServiceRequestsJob, () =>
        requeueLostBotServiceRequests(database.background('bot call sweep'), jobs, botCallJob),
      );
    },
  };
}
