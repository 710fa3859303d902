import type { Tx } from '@switchboard/database';
import { listAppearedUsers, listLimitedGuests } from '../access/user-visibility.js';
import type { ChatEvents } from '../../events/chat-events.js';
import { writeAppearedUsers } from './appeared-users.js';

/** Most people of whom one guest learns by events: beyond them its client registers again. */
const mostAppeared = 500;

/**
 * Writes the events by which guests of limited sight learn of the people that they share a channel with since these
 * subscriptions began. To be called after the subscriptions were written. One statement where guests see all accounts.
 */
export async function writeGuestSight(
  tx: Tx,
  events: ChatEvents,
  realmId: number,
  begun: readonly { readonly user_id: number; readonly channel_id: number }[],
): Promise<void> {
  const appeared = await listAppearedUsers(tx, realmId, begun);
  const counts = new Map<number, number>();
  for (const guestId of [...appeared.values()].flat()) counts.set(guestId, (counts.get(guestId) ?? 0) + 1);
  const ended = new Set([...counts].filter(([, count]) => count > mostAppeared).map(([guestId]) => guestId));
  events.endQueues(tx, realmId, [...ended]);
  const told = [...appeared]
    .map(([id, guestIds]) => [id, guestIds.filter((guestId) => !ended.has(guestId))] as const)
    .filter(([, guestIds]) => guestIds.length > 0);
  await writeAppearedUsers(tx, events, realmId, new Map(told));
}

/**
 * Ends the queues of guests who may know of fewer people than before, because subscriptions ended: no event hides
 * people, so their clients register again. One statement, and no queue ends where guests see all accounts. To be
 * called after the subscriptions were written.
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
