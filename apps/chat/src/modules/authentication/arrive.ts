import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { lockPopulation } from '../../access/population-lock.js';
import type { ChatEvents } from '../../events/chat-events.js';
import { placeInRoleGroups, writeRoleGroupEvents } from '../user-groups/index.js';
import { audienceOfUser, realmUserUpdateEvent } from '../users/index.js';
import { recordArrival, recordSignIn } from './accounts.repository.js';

/**
 * Signs in to an account that somebody else made, for the first time, and tells everybody who sees it. A waiting
 * period begins now, so the account may have to leave the group of full members.
 */
export async function arrive(events: ChatEvents, tx: Tx, { id, realmId }: ChatActor): Promise<void> {
  await lockPopulation(tx, realmId, 'exclusive');
  const arrival = await recordArrival(tx, id);
  // Somebody else who knows the password was faster.
  if (arrival === null) return recordSignIn(tx, id);
  const { audience } = await audienceOfUser(tx, realmId, id);
  const changes = [
    { date_joined: arrival.dateJoined },
    ...(arrival.wasImportedStub ? [{ is_imported_stub: false }] : []),
  ];
  for (const change of changes) {
    events.write(tx, realmId, realmUserUpdateEvent, { audience, payload: { userId: id, change } });
  }
  writeRoleGroupEvents(events, tx, realmId, await placeInRoleGroups(tx, realmId, [id]));
}
