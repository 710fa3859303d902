import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { createSpectatorActor } from '../../access/spectator-actor.js';
import type { SqlQueryRunner } from '../../../infra/sql-reader.js';
import { chatErrors } from '../../../errors.js';
import { findRealmThatAllowsSpectators } from '../../users/index.js';

/**
 * Returns the actor that represents readers without an account, in the realm of the given host.
 *
 * @throws ApplicationError UNAUTHORIZED unless the realm allows spectators
 */
export async function createSpectatorActorOfHost(tx: SqlQueryRunner, host: string): Promise<ChatActor> {
  const realm = await findRealmThatAllowsSpectators(tx, host);
  if (realm === null) throw chatErrors.create('UNAUTHORIZED');
  return createSpectatorActor(realm);
}
