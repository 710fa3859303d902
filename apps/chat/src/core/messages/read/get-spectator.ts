import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { createSpectatorActor } from '../../access/spectator-actor.js';
import type { SqlReader } from '../../../infra/sql-reader.js';
import { chatErrors } from '../../../errors.js';
import { findSpectatedRealm } from '../../users/index.js';

/**
 * Returns the actor that represents readers without an account, in the realm of the given host.
 *
 * @throws AppError UNAUTHORIZED unless the realm allows spectators
 */
export async function getSpectator(tx: SqlReader, host: string): Promise<ChatActor> {
  const realm = await findSpectatedRealm(tx, host);
  if (realm === null) throw chatErrors.create('UNAUTHORIZED');
  return createSpectatorActor(realm);
}
