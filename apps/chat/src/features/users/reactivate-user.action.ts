import { Inject, Injectable } from '@nestjs/common';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin, requireOwner } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { cancelMessageDeletion } from '../message-retention/index.js';
import { changeBotOwner } from './write-bot-owner.js';
import { reactivateAccount } from './account-activation.js';
import { lockUserForChange, type UserRecord } from '../../core/users/index.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Reactivates an account. The id, role and API key of the account remain unchanged (docs/contract/chat.md 6.5). */
@Injectable()
export class ReactivateUser {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    private readonly revocation: AccessRevocation,
    private readonly attention: AlertWordAndMuteCache,
  ) {}

  /**
   * Reactivates the account with the given id. Does nothing if the account is active.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, userId: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'exclusive');
      const rights = await loadActorRights(tx, actor);
      requireAdmin(rights);
      const target = await lockUserForChange(tx, actor, userId);
      if (target.isActive) return;
      if (target.isDeleted) throw createBadRequestError('Cannot reactivate a deleted user');
      if (target.role === userRoleNumbers.owner) requireOwner(rights);
      const botOwnerId = await this.#assignOwner(tx, actor, target);
      await cancelMessageDeletion(tx, userId);
      await reactivateAccount(this.events, tx, actor.realmId, { ...target, botOwnerId });
    });
    // The cache of alert words and mutes omits deactivated accounts.
    await Promise.all([this.revocation.invalidateCredentials([userId]), this.attention.invalidate(actor.realmId)]);
  }

  /**
   * Returns the user id of a reactivated bot's owner, or null for users. If the owner is deactivated, the actor becomes
   * the owner.
   */
  async #assignOwner(tx: ChatTransaction, actor: ChatActor, target: UserRecord): Promise<number | null> {
    if (!target.isBot) return null;
    const { rows } = await tx.query('SELECT 1 FROM users WHERE id = $1 AND is_active', [target.botOwnerId]);
    if (rows.length > 0) return target.botOwnerId;
    await changeBotOwner(this.events, tx, actor.realmId, target, actor.id);
    return actor.id;
  }
}
