import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { realmUserUpdateEvent } from './user-changes.events.js';
import { realmUserAddEvent } from './users.events.js';
import { listUsers } from './users.repository.js';

/**
 * Emits events about accounts that were hidden from guests and are now visible to them. Clients add new users as active
 * users, so a deactivated account needs a second event.
 * @param viewers ids of the guests, by the id of the account that becomes visible
 */
export async function emitUsersBecomingVisible(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  viewers: ReadonlyMap<number, readonly number[]>,
): Promise<void> {
  if (viewers.size === 0) return;
  for (const user of await listUsers(tx, realmId, [...viewers.keys()], { customFields: true })) {
    const audience = { users: [...(viewers.get(user.id) ?? [])] };
    const payload = { ...user, isActive: true, hiddenFrom: [] };
    events.write(tx, realmId, realmUserAddEvent, { audience, payload });
    if (user.isActive) continue;
    const change = { userId: user.id, change: { is_active: false } };
    events.write(tx, realmId, realmUserUpdateEvent, { audience, payload: change });
  }
}
