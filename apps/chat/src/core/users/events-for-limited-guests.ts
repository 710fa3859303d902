import type { Tx } from '@switchboard/database';
import { listUsersBecomingVisible, listGuestsWithLimitedVisibility } from '../access/user-visibility.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { emitUsersBecomingVisible } from './emit-newly-visible-users.js';

/**
 * Maximum number of accounts that events make visible to a guest. For more accounts, the guest's clients must register
 * again.
 */
const maxUsersBecomingVisible = 500;

/**
 * Emits events about the accounts that new subscriptions make visible to guests with limited visibility. Must be called
 * after the subscriptions are written. Executes only one SQL statement if guests see all users.
 */
export async function emitUsersBecomingVisibleToGuests(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  begun: readonly { readonly user_id: number; readonly channel_id: number }[],
): Promise<void> {
  const appeared = await listUsersBecomingVisible(tx, realmId, begun);
  const counts = new Map<number, number>();
  for (const guestId of [...appeared.values()].flat()) counts.set(guestId, (counts.get(guestId) ?? 0) + 1);
  const ended = new Set([...counts].filter(([, count]) => count > maxUsersBecomingVisible).map(([guestId]) => guestId));
  events.endEventQueuesOfAccounts(tx, realmId, [...ended]);
  const shown = [...appeared]
    .map(([id, guestIds]) => [id, guestIds.filter((guestId) => !ended.has(guestId))] as const)
    .filter(([, guestIds]) => guestIds.length > 0);
  await emitUsersBecomingVisible(tx, events, realmId, new Map(shown));
}

/**
 * Removes the event queues of guests with limited visibility who see fewer users after subscriptions ended. Their
 * clients must register again, because no event type hides users. Must be called after the subscriptions are written.
 * Executes only one SQL statement if guests see all users.
 */
export async function removeEventQueuesOfGuests(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  change: { readonly channelIds: readonly number[]; readonly userIds: readonly number[] },
): Promise<void> {
  if (change.userIds.length === 0) return;
  events.endEventQueuesOfAccounts(tx, realmId, await listGuestsWithLimitedVisibility(tx, realmId, change));
}
