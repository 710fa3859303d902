import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../events/chat-events.js';
import { addSubscriptions } from '../../core/channels/index.js';
import { emitMembershipChanges } from '../../core/user-groups/index.js';
import { emitSubscriberActivityChanges } from './emit-subscriber-activity-changes.js';
import { getAudienceOfUser, listUsers, realmUserAddEvent } from '../../core/users/index.js';

/** Subscribes a new account to the default channels. */
export async function joinDefaultChannels(tx: Tx, realmId: number, userId: number): Promise<void> {
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
export async function emitNewAccount(events: ChatEvents, tx: Tx, realmId: number, userId: number): Promise<void> {
  const [user] = await listUsers(tx, realmId, [userId]);
  if (user === undefined) throw new Error(`There is no user ${userId}`);
  const { hiddenFrom } = await getAudienceOfUser(tx, realmId, userId);
  const payload = { ...user, hiddenFrom: [...hiddenFrom] };
  events.write(tx, realmId, realmUserAddEvent, { audience: { all: true }, payload });
  await emitMembershipChanges(events, tx, realmId, { userIds: [userId], isActive: true });
  await emitSubscriberActivityChanges(events, tx, realmId, { userIds: [userId], isActive: true });
}
