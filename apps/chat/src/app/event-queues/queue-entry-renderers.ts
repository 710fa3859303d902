import { Inject, Injectable } from '@nestjs/common';
import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import type { LogEntryRenderer } from '@switchboard/queue';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { ChatConfig } from '../../config.js';
import type { EventTypeOfUnknownPayload } from '../../events/define-event-type.js';
import { createEventLogEntryRenderer } from '../../events/render-event-log-entry.js';
import { ExportDownloadLinks } from '../../features/realm-export/index.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import { allEventTypes } from '../slices.js';

/** All event types, by the names that entries of the event log use. */
const eventTypesByName: ReadonlyMap<string, EventTypeOfUnknownPayload> = new Map(
  allEventTypes.map((type) => [type.name, type]),
);

/** Creates functions that render event log entries for the event queues of a user. */
@Injectable()
export class EventLogEntryRendererFactory {
  readonly #checks: boolean;
  readonly #exportLinks: ExportDownloadLinks;

  constructor(
    private readonly apiKeys: ApiKeyStore,
    @Inject(CHAT_CONFIG_TOKEN) config: ChatConfig,
    @Inject(SECRET_BOX_TOKEN) secrets: SecretTextEncryptor,
    @Inject(CLOCK_TOKEN) clock: Clock,
  ) {
    this.#exportLinks = new ExportDownloadLinks(secrets, clock);
    this.#checks = config.NODE_ENV !== 'production';
  }

  /** Returns a function that converts event log entries to client events for one poll or stream of a user. */
  createRenderer(viewer: ChatActor): LogEntryRenderer {
    const secrets = this.apiKeys.createSecretDecryptor(viewer);
    return createEventLogEntryRenderer({
      types: eventTypesByName,
      viewer,
      openSecret: (userId, sealed) => secrets.decryptStoredApiKey(userId, sealed),
      exportToken: (exportId) => this.#exportLinks.createToken({ exportId, userId: viewer.id }),
      checks: this.#checks,
    });
  }
}
