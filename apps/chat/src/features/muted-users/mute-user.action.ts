import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { flagsAddEvent } from '../message-flags/index.js';
import { createNoSuchUserError } from '../../core/users/index.js';
import { mutedUsersEvent } from './muted-users.events.js';
import { addMutedUser, listMutedUsers, markReadFromSender, removeMute } from './muted-users.repository.js';
import { lockUserRow } from '../../core/database-locks.js';

/**
 * Mutes and unmutes users. Existing and future messages of a muted user are marked as read for the muting user
 * (docs/contract/chat.md 2.F).
 */
@Injectable()
export class MuteUser {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly attention: AlertWordAndMuteCache,
  ) {}

  /**
   * Mutes the user with the given id.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async mute(actor: ChatActor, userId: number): Promise<void> {
    if (userId === actor.id) throw createBadRequestError('Cannot mute self');
    await this.#changeMute(actor, userId, async (tx) => {
      if (!(await addMutedUser(tx, actor.id, userId))) throw createBadRequestError('User already muted');
      const messageIds = await markReadFromSender(tx, actor.id, userId);
      if (messageIds.length === 0) return;
      const payload = { flag: 'read' as const, messageIds };
      this.events.write(tx, actor.realmId, flagsAddEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  /**
   * Unmutes the user with the given id.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async unmute(actor: ChatActor, userId: number): Promise<void> {
    await this.#changeMute(actor, userId, async (tx) => {
      if (!(await removeMute(tx, actor.id, userId))) throw createBadRequestError('User is not muted');
    });
  }

  async #changeMute(actor: ChatActor, userId: number, change: (tx: Tx) => Promise<void>): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      if (!(await findUsers(tx, actor, [userId], { lock: false })).has(userId)) throw createNoSuchUserError();
      await lockUserRow(tx, actor.id);
      await change(tx);
      const payload = { muted_users: await listMutedUsers(tx, actor.id) };
      this.events.write(tx, actor.realmId, mutedUsersEvent, { audience: { users: [actor.id] }, payload });
    });
    await this.attention.invalidate(actor.realmId);
  }
}
