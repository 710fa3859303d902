import { Inject, Injectable } from '@nestjs/common';
import type { SecretBox } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import type { LogEntryRenderer } from '@switchboard/queue';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { ChatConfig } from '../../config.js';
import type { AnyEventType } from '../../events/define-event-type.js';
import { createEntryRenderer } from '../../events/render-event-log-entry.js';
import { ExportLinks } from '../../features/realm-export/index.js';
import { CHAT_CONFIG, CLOCK, SECRET_BOX } from '../../tokens.js';
import { allEventTypes } from '../slices.js';

/** All event types, by the names that entries of the event log use. */
const eventTypesByName: ReadonlyMap<string, AnyEventType> = new Map(allEventTypes.map((type) => [type.name, type]));

/** Creates functions that render event log entries for the event queues of a user. */
@Injectable()
export class QueueEntryRendererFactory {
  readonly #checks: boolean;
  readonly #exportLinks: ExportLinks;

  constructor(
    private readonly apiKeys: ApiKeyStore,
    @Inject(CHAT_CONFIG) config: ChatConfig,
    @Inject(SECRET_BOX) secrets: SecretBox,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.#exportLinks = new ExportLinks(secrets, clock);
    this.#checks = config.NODE_ENV !== 'production';
  }

  /** Returns a function that converts event log entries to client events for one poll or stream of a user. */
  createRenderer(viewer: ChatActor): LogEntryRenderer {
    const secrets = this.apiKeys.createEncryptedKeyReader(viewer);
    return createEntryRenderer({
      types: eventTypesByName,
      viewer,
      openSecret: (userId, sealed) => secrets.decryptKey(userId, sealed),
      exportToken: (exportId) => this.#exportLinks.createToken({ exportId, userId: viewer.id }),
      checks: this.#checks,
    });
  }
}
