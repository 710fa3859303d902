import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { findUsers } from '../../core/access/find-users.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { findCustomEmoji } from '../custom-emoji/index.js';
import { lockAccountsForSettingsChange, UserSettingsChanger } from '../settings/index.js';
import {
  lockUserForChange,
  getAudienceOfUserEvents,
  createNoSuchUserError,
  userStatusEvent,
} from '../../core/users/index.js';
import { type UserStatusInRequest, type UserStatusChange, parseUserStatusChange } from './parse-status-change.js';
import { readUserStatus, writeUserStatus } from './user-status.repository.js';
import type { UserStatusInResponse } from './wire-user-status.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Sets and returns the status of users (chat-4.10, docs/contract/chat.md 2.F). */
@Injectable()
export class UserStatusService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    private readonly settings: UserSettingsChanger,
  ) {}

  /**
   * Returns the user status of an account that the actor can see.
   *
   * @throws ApplicationError BAD_REQUEST `No such user`
   */
  async getUserStatus(actor: ChatActor, userId: number): Promise<{ status: UserStatusInResponse }> {
    const user = (await findUsers(this.database, actor, [userId], { lock: false })).get(userId);
    if (user === undefined) throw createNoSuchUserError();
    return { status: await readUserStatus(this.database, user.id) };
  }

  /** Sets the actor's own status. @throws ApplicationError BAD_REQUEST */
  async setOwnStatus(actor: ChatActor, sent: UserStatusInRequest): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const change = parseUserStatusChange(sent, await findCustomEmoji(tx, actor.realmId, sent));
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const owners = await lockAccountsForSettingsChange(tx, actor.realmId, [actor.id], { activeOnly: true });
      if (sent.away !== undefined) {
        const values = { presence_enabled: !sent.away };
        await this.settings.changeSettingsAndEmitEvents(tx, actor.realmId, owners, values, {
          byOwner: true,
          skipsEdited: false,
        });
      }
      await this.#set(tx, actor.realmId, actor.id, change);
    });
  }

  /**
   * Sets the status of another user. The actor must be an administrator.
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async setStatusOfUser(actor: ChatActor, userId: number, sent: UserStatusInRequest): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      const target = await lockUserForChange(tx, actor, userId);
      await this.#set(
        tx,
        actor.realmId,
        target.id,
        parseUserStatusChange(sent, await findCustomEmoji(tx, actor.realmId, sent)),
      );
    });
  }

  async #set(tx: ChatTransaction, realmId: number, userId: number, change: UserStatusChange): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await writeUserStatus(tx, userId, change);
    const { audience } = await getAudienceOfUserEvents(tx, realmId, userId);
    this.events.write(tx, realmId, userStatusEvent, { audience, payload: { user_id: userId, ...change } });
  }
}
