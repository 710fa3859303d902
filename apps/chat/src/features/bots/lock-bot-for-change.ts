import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  type ActorRights,
  loadActorRights,
  createInsufficientPermissionError,
} from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { lockUser, type UserRecord } from '../../core/users/index.js';

/** A locked bot that the actor may manage, and the rights of the actor. */
export interface LockedBotWithActorRights {
  readonly bot: UserRecord;
  readonly rights: ActorRights;
}

/**
 * Loads and locks a bot that its owner or an administrator is about to change.
 *
 * @throws ApplicationError BAD_REQUEST `No such bot`, `Insufficient permission`
 */
export async function lockBotForChange(tx: Tx, actor: ChatActor, botId: number): Promise<LockedBotWithActorRights> {
  const rights = await loadActorRights(tx, actor);
  const bot = await lockUser(tx, actor.realmId, botId);
  if (bot === null || !bot.isBot) throw createBadRequestError('No such bot');
  if (!rights.isAdmin && bot.botOwnerId !== actor.id) throw createInsufficientPermissionError();
  return { bot, rights };
}
