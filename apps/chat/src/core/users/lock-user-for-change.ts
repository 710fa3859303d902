import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers, type UserReference } from '../access/find-users.js';
import { createBadRequestError } from '../../errors.js';
import { lockUser } from './users.repository.js';
import type { UserRecord } from './wire-user.js';

/**
 * Parses the account reference in a URL path. A text of digits is a user id, and any other text is an email address
 * (docs/contract/chat.md 1.1).
 */
export function parseUserPathReference(text: string): UserReference {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/**
 * Loads and locks an account that an administrator is about to change.
 * @throws ApplicationError BAD_REQUEST `No such user`, also for hidden addresses
 */
export async function lockUserForChange(tx: Tx, actor: ChatActor, reference: UserReference): Promise<UserRecord> {
  const id = typeof reference === 'number' ? reference : await findUserIdByEmail(tx, actor, reference);
  const user = id === undefined ? null : await lockUser(tx, actor.realmId, id);
  if (user === null) throw createNoSuchUserError();
  return user;
}

async function findUserIdByEmail(tx: Tx, actor: ChatActor, address: string): Promise<number | undefined> {
  return (await findUsers(tx, actor, [address], { lock: false })).get(address)?.id;
}

/** Creates the error for an account that does not exist or that the actor may not see. */
export function createNoSuchUserError(): Error {
  return createBadRequestError('No such user');
}
