import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { moveMembersBetweenMemberGroups } from '../../core/user-groups/index.js';
import { getAudienceOfUserEvents, realmUserUpdateEvent } from '../../core/users/index.js';
import { recordFirstLogin } from './sign-in-accounts.repository.js';

/**
 * Handles the first sign-in to an account that another user created, and emits events about the changed account. The
 * account's waiting period starts at this time, so that the account may leave the group of full members. The caller
 * must have locked the realm membership exclusively.
 */
export async function activateAccountOnFirstLogin(
  events: ChatEventWriter,
  tx: Tx,
  { id, realmId }: ChatActor,
): Promise<void> {
  const arrival = await recordFirstLogin(tx, id);
  // A concurrent request has recorded the first sign-in already.
  if (arrival === null) return;
  const { audience } = await getAudienceOfUserEvents(tx, realmId, id);
  const changes = [
    { date_joined: arrival.dateJoined },
    ...(arrival.wasImportedStub ? [{ is_imported_stub: false }] : []),
  ];
  for (const change of changes) {
    events.write(tx, realmId, realmUserUpdateEvent, { audience, payload: { userId: id, change } });
  }
  await moveMembersBetweenMemberGroups(tx, events, realmId, [id]);
}
