import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { ClientProgramIdCache, internalClientName, postSystemBotMessage } from '../../core/messages/index.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { RateLimiter } from '../../infra/rate-limits/index.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import type { WebhookBot } from './webhook-bots.repository.js';

/**
 * Notifies the owner of a bot about a webhook request that failed because of its configuration. The sending services
 * rarely show the response of a failed request to a user.
 */
@Injectable()
export class NotifyWebhookOwner {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Sends a direct message of Notification Bot to the owner of a bot. Sends no message if the rate limit of messages
   * about this bot is reached.
   */
  async sendDirectMessageToOwner(actor: ChatActor, { ownerId, fullName }: WebhookBot, reason: string): Promise<void> {
    if (ownerId === null) return;
    const counted = await this.limiter.countRequestAgainstLimit('WEBHOOK_NOTICE_BY_BOT', String(actor.id));
    if (counted !== null && counted.waitMs > 0) return;
    const clientId = await this.clients.getClientId(internalClientName);
    const content = `A request to your bot @_**${fullName}|${actor.id}** failed: ${reason}`;
    await this.database.inTransaction((tx) =>
      postSystemBotMessage(
        tx,
        { events: this.events, renderer: this.renderer, realm: defaultRealmMarkdownSettings },
        { realmId: actor.realmId, bot: 'notification-bot', userId: ownerId, content, clientId },
      ),
    );
  }
}
