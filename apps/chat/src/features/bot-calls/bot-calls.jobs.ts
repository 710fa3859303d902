import type { Database } from '@switchboard/database';
import type { OutboundClient } from '@switchboard/outbound';
import type { Outbox } from '@switchboard/queue';
import type { ChatConfig } from '../../config.js';
import type { ApiKeyStore } from '../../core/access/api-keys.js';
import type { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { botCallMessage, StoredClientNames, SendMessage } from '../../core/messages/index.js';
import type { RealmMarkdownSettings } from '../../core/realm-markdown-settings/index.js';
import type { ChatEvents } from '../../events/chat-events.js';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { botCallDispatcher, defineBotCallJob, sweepBotCalls, sweepCallsJob } from './define-bot-call-job.js';
import { MakeBotCall } from './make-bot-call.js';
import type { BotCallConfig } from './settings.js';

/** Process objects for sending requests to the services of outgoing webhook bots. */
export interface BotCallJobDependencies {
  readonly config: BotCallConfig & Pick<ChatConfig, 'CLIENT_NAMES'>;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly events: ChatEvents;
  readonly apiKeys: ApiKeyStore;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettings;
  readonly attention: AlertWordAndMuteCache;
  readonly botServices: OutboundClient;
}

/** Returns the jobs that send requests to the services of outgoing webhook bots, with their handlers. */
export function botCallJobs(services: BotCallJobDependencies): SliceJobs {
  const { config, database, events, apiKeys, renderer, realmContents, attention, botServices } = services;
  const botCallJob = defineBotCallJob(config);
  return {
    definitions: [botCallJob, sweepCallsJob],
    attach(jobs, outbox) {
      const clients = new StoredClientNames(database, config);
      const sendMessage = new SendMessage(
        database,
        renderer,
        events,
        clients,
        realmContents,
        attention,
        services.outbox,
      );
      const calls = new MakeBotCall({ database, apiKeys, sendMessage, outbound: botServices });
      outbox.dispatch(botCallMessage, botCallDispatcher(jobs, botCallJob));
      jobs.handle(botCallJob, ({ id }, context) => calls.run(id, context));
      jobs.handle(sweepCallsJob, () => sweepBotCalls(database.background('bot call sweep'), jobs, botCallJob));
    },
  };
}
