import { Inject, Injectable } from '@nestjs/common';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { deactivateAccounts } from '../users/index.js';
import { lockBotForChange } from './lock-bot-for-change.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Deactivates a bot, on request of its owner or an administrator. Does nothing if the bot is already deactivated. */
@Injectable()
export class DeactivateBot {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Deactivates the bot with the given id.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, botId: number): Promise<void> {
    rejectBots(actor);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const { bot } = await lockBotForChange(tx, actor, botId);
      if (bot.isActive) await deactivateAccounts(this.events, tx, actor.realmId, [bot]);
    });
    await this.revocation.endQueuesOfAccounts(actor.realm, [botId]);
  }
}
