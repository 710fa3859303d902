import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { addSubscriptions } from '../../core/channels/index.js';
import { emitUserGroupMembershipChanges } from '../../core/user-groups/index.js';
import { emitSubscriptionEventsOfActivation } from './emit-subscriber-activity-changes.js';
import { getAudienceOfUserEvents, listUsers, realmUserAddEvent } from '../../core/users/index.js';

/** Subscribes a new account to the default channels. */
export async function subscribeAccountToDefaultChannels(tx: Tx, realmId: number, userId: number): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM channels WHERE realm_id = $1 AND is_default AND NOT is_archived ORDER BY id FOR SHARE',
    [realmId],
  );
  await addSubscriptions(
    tx,
    rows.map(({ id }) => ({ userId, channelId: id })),
  );
}

/**
 * Emits events about an account that the transaction has created, and about the account's groups and channels. The
 * caller must have locked the realm membership.
 */
export async function emitNewAccountEvents(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<void> {
  const [user] = await listUsers(tx, realmId, [userId]);
  if (user === undefined) throw new Error(`There is no user ${userId}`);
  const { hiddenFrom } = await getAudienceOfUserEvents(tx, realmId, userId);
  const payload = { ...user, hiddenFrom: [...hiddenFrom] };
  events.write(tx, realmId, realmUserAddEvent, { audience: { all: true }, payload });
  await emitUserGroupMembershipChanges(events, tx, realmId, { userIds: [userId], isActive: true });
  await emitSubscriptionEventsOfActivation(events, tx, realmId, { userIds: [userId], isActive: true });
}
