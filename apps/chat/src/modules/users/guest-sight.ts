import type { Tx } from '@switchboard/database';
import { listLimitedGuests } from '../../access/user-visibility.js';
import type { ChatEvents } from '../../events/chat-events.js';

/**
 * Ends the queues of guests who know of other people than before, because channels have other subscribers now: where
 * guests see only those they share something with, their clients register again. One statement; where guests see
 * everybody nothing follows. To be called after the subscriptions were written.
 */
export async function endGuestQueues(
  tx: Tx,
  events: ChatEvents,
  realmId: number,
  change: { readonly channelIds: readonly number[]; readonly userIds: readonly number[] },
): Promise<void> {
  if (change.userIds.length === 0) return;
  events.endQueues(tx, realmId, await listLimitedGuests(tx, realmId, change));
}
