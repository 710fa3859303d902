import type { Database } from '@switchboard/database';
import type { Logger, Shutdown } from '@switchboard/platform';
import type { FaultPointListener, Outbox } from '@switchboard/queue';
import type { ChatConfig } from '../../config.js';
import type { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { ClientProgramIdCache, SendMessage } from '../../core/messages/index.js';
import type { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { runsIncomingMailServer, type IncomingMailServer } from '../../infra/incoming-mail/index.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import type { RateLimiter } from '../../infra/rate-limits/index.js';
import { StoredFileDeletionSchedule, type OpenedFileStorage } from '../../infra/storage/index.js';
import { UploadFile } from '../uploads/index.js';
import type { ChannelMailOutcomeCounter } from './channel-mail-counts.js';
import { DeliverChannelMail } from './deliver-channel-mail.js';

/** Process objects for receiving emails to channels. */
interface ChannelMailServerDependencies {
  readonly config: ChatConfig;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettingsCache;
  readonly attention: AlertWordAndMuteCache;
  readonly files: OpenedFileStorage;
  readonly pictures: ImageProcessor;
  readonly rateLimiter: RateLimiter;
  readonly incomingMail: IncomingMailServer;
  readonly channelMailCounts: ChannelMailOutcomeCounter;
  readonly logger: Logger;
  readonly faultPoint: FaultPointListener | undefined;
}

/**
 * Starts the SMTP server that receives emails to channels, if the server is enabled in this process. From the shutdown
 * phase `intake` on, the server accepts no further emails, and completes the emails that it has already received.
 *
 * @throws Error if the port is in use
 */
export async function startChannelMailServer(
  runtime: ChannelMailServerDependencies,
  shutdown: Shutdown,
): Promise<void> {
  const { config, database, events, outbox, incomingMail: server } = runtime;
  if (!runsIncomingMailServer(config)) return;
  const { renderer, realmContents, attention, files, pictures } = runtime;
  const clients = new ClientProgramIdCache(database, config);
  const handler = new DeliverChannelMail({
    config,
    database,
    events,
    renderer,
    clients,
    sendMessage: new SendMessage(database, renderer, events, clients, realmContents, attention, outbox),
    uploadFile: new UploadFile(
      database,
      files.storage,
      pictures,
      new StoredFileDeletionSchedule(database, files.storage),
      events,
    ),
    limiter: runtime.rateLimiter,
    counts: runtime.channelMailCounts,
    logger: runtime.logger,
    faultPoint: runtime.faultPoint,
  });
  await server.start(handler);
  shutdown.addStep('intake', 'incoming mail', () => server.stop());
}
