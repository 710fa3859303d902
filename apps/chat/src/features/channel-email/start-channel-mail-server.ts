import type { Database } from '@switchboard/database';
import type { Logger, Shutdown } from '@switchboard/platform';
import type { OnFaultPoint, Outbox } from '@switchboard/queue';
import type { ChatConfig } from '../../config.js';
import type { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { StoredClientNames, SendMessage } from '../../core/messages/index.js';
import type { RealmMarkdownSettings } from '../../core/realm-markdown-settings/index.js';
import type { ChatEvents } from '../../events/chat-events.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { acceptsIncomingMail, type IncomingMailServer } from '../../infra/incoming-mail/index.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import type { RateLimiter } from '../../infra/rate-limits/index.js';
import { StoredFileLedger, type OpenedStorage } from '../../infra/storage/index.js';
import { UploadFile } from '../uploads/index.js';
import type { ChannelMailCounts } from './channel-mail-counts.js';
import { DeliverChannelMail } from './deliver-channel-mail.js';

/** Process objects for receiving emails to channels. */
interface ChannelMailRuntime {
  readonly config: ChatConfig;
  readonly database: Database;
  readonly outbox: Outbox;
  readonly events: ChatEvents;
  readonly renderer: MessageRenderer;
  readonly realmContents: RealmMarkdownSettings;
  readonly attention: AlertWordAndMuteCache;
  readonly files: OpenedStorage;
  readonly pictures: ImageProcessor;
  readonly rateLimiter: RateLimiter;
  readonly incomingMail: IncomingMailServer;
  readonly channelMailCounts: ChannelMailCounts;
  readonly logger: Logger;
  readonly faultPoint: OnFaultPoint | undefined;
}

/**
 * Starts the SMTP server that receives emails to channels, if the server is enabled in this process. From the shutdown
 * phase `intake` on, the server accepts no further emails, and completes the emails that it has already received.
 *
 * @throws Error if the port is in use
 */
export async function startChannelMail(runtime: ChannelMailRuntime, shutdown: Shutdown): Promise<void> {
  const { config, database, events, outbox, incomingMail: server } = runtime;
  if (!acceptsIncomingMail(config)) return;
  const { renderer, realmContents, attention, files, pictures } = runtime;
  const clients = new StoredClientNames(database, config);
  const handler = new DeliverChannelMail({
    config,
    database,
    sendMessage: new SendMessage(database, renderer, events, clients, realmContents, attention, outbox),
    uploadFile: new UploadFile(
      database,
      files.storage,
      pictures,
      new StoredFileLedger(database, files.storage),
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
