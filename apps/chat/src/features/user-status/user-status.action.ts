import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { toActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { findUsers } from '../../core/access/find-users.js';
import { ChatEvents } from '../../events/chat-events.js';
import { DATABASE } from '../../tokens.js';
import { findCustomEmoji } from '../custom-emoji/index.js';
import { lockSettings, SettingChanges } from '../settings/index.js';
import { lockUserForChange, getAudienceOfUser, noSuchUserError, userStatusEvent } from '../../core/users/index.js';
import { type SentStatus, type StatusChange, toStatusChange } from './parse-status-change.js';
import { readUserStatus, writeUserStatus } from './user-status.repository.js';
import type { WireUserStatus } from './wire-user-status.js';
import type { ChatDatabase, ChatTx } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Sets and returns the status of users (chat-4.10, docs/contract/chat.md 2.F). */
@Injectable()
export class UserStatusService {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly events: ChatEvents,
    private readonly settings: SettingChanges,
  ) {}

  /** Returns the user status of an account that the actor can see. @throws AppError BAD_REQUEST `No such user` */
  async get(actor: ChatActor, userId: number): Promise<{ status: WireUserStatus }> {
    const user = (await findUsers(this.database, actor, [userId], { lock: false })).get(userId);
    if (user === undefined) throw noSuchUserError();
    return { status: await readUserStatus(this.database, user.id) };
  }

  /** Sets the actor's own status. @throws AppError BAD_REQUEST */
  async setOwn(actor: ChatActor, sent: SentStatus): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const change = toStatusChange(sent, await findCustomEmoji(tx, actor.realmId, sent));
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const owners = await lockSettings(tx, actor.realmId, [actor.id], { activeOnly: true });
      if (sent.away !== undefined) {
        const values = { presence_enabled: !sent.away };
        await this.settings.apply(tx, actor.realmId, owners, values, { byOwner: true, skipsEdited: false });
      }
      await this.#set(tx, actor.realmId, actor.id, change);
    });
  }

  /**
   * Sets the status of another user. The actor must be an administrator.
   * @throws AppError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async set(actor: ChatActor, userId: number, sent: SentStatus): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await toActorRights(tx, actor));
      const target = await lockUserForChange(tx, actor, userId);
      await this.#set(
        tx,
        actor.realmId,
        target.id,
        toStatusChange(sent, await findCustomEmoji(tx, actor.realmId, sent)),
      );
    });
  }

  async #set(tx: ChatTx, realmId: number, userId: number, change: StatusChange): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await writeUserStatus(tx, userId, change);
    const { audience } = await getAudienceOfUser(tx, realmId, userId);
    this.events.write(tx, realmId, userStatusEvent, { audience, payload: { user_id: userId, ...change } });
  }
}
