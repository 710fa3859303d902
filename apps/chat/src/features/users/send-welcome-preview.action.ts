import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { WelcomeMessageSender } from './welcome-messages.js';

/** Sends an administrator a preview of the welcome message that new users get (docs/contract/chat.md 2.H). */
@Injectable()
export class SendWelcomePreview {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly welcome: WelcomeMessageSender,
  ) {}

  /**
   * Sends the actor a welcome message with the given text as a preview. Returns the id of the message.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  async run(actor: ChatActor, text: string): Promise<{ message_id: number }> {
    const clientId = await this.welcome.createClientOfWelcomeMessages();
    return this.database.inTransaction(async (tx) => {
      requireAdmin(await loadActorRights(tx, actor));
      if (text.trim() === '') throw createBadRequestError('Message must not be empty');
      const id = await this.welcome.sendWelcomeMessage(tx, actor.realmId, actor.id, clientId, text);
      if (id === null) throw createBadRequestError('This organization has no Welcome Bot.');
      return { message_id: id };
    });
  }
}
