import type { Tx } from '@switchboard/database';
import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { isHiddenFromGuestSql } from '../../core/access/user-visibility.js';
import { createBadRequestError } from '../../errors.js';
import {
  notificationDefaultsColumns,
  type UserNotificationDefaultsRow,
  getUserNotificationDefaults,
  type SubscriberWithNotificationDefaults,
} from '../../core/channels/index.js';

/** A user whose subscriptions change. The row of the user is locked until the transaction ends. */
export interface UserWithChangingSubscriptions extends SubscriberWithNotificationDefaults {
  readonly botOwnerId: number | null;
}

interface SubscribingUserRow extends UserNotificationDefaultsRow {
  id: number;
  bot_owner_id: number | null;
}

/**
 * Locks and returns the users that a request names by id or email address. Locks the actor if the request names no
 * users. Runs at most two statements.
 * @throws ApplicationError BAD_REQUEST if a user is unknown, deactivated, or hidden from the actor
 */
export async function lockUsersWithChangingSubscriptions(
  tx: Tx,
  actor: ChatActor,
  named: readonly (number | string)[] | undefined,
): Promise<UserWithChangingSubscriptions[]> {
  const requested = [...new Set(await listSubscribingUserIds(tx, actor, named))];
  const { rows } = isGuest(actor)
    ? await tx.query<SubscribingUserRow>(createSubscribingUsersSql(`AND NOT ${isHiddenFromGuestSql('$3')}`), [
        actor.realmId,
        requested,
        actor.id,
      ])
    : await tx.query<SubscribingUserRow>(createSubscribingUsersSql(''), [actor.realmId, requested]);
  if (rows.length < requested.length) throw createBadRequestError('No such user');
  return rows.map((row) => ({ id: row.id, botOwnerId: row.bot_owner_id, defaults: getUserNotificationDefaults(row) }));
}

async function listSubscribingUserIds(
  tx: Tx,
  actor: ChatActor,
  named: readonly (number | string)[] | undefined,
): Promise<readonly number[]> {
  if (named === undefined || named.length === 0) return [actor.id];
  const addresses = named.filter((reference) => typeof reference === 'string');
  const ids = named.filter((reference) => typeof reference === 'number');
  if (addresses.length === 0) return ids;
  const found = await findUsers(tx, actor, addresses, { lock: false });
  return [...ids, ...addresses.map((address) => found.get(address)?.id ?? 0)];
}

const createSubscribingUsersSql = (condition: string): string => `
  SELECT u.id, u.bot_owner_id, ${notificationDefaultsColumns}
  FROM users u WHERE u.realm_id = $1 AND u.id = ANY($2::bigint[]) AND u.is_active AND NOT u.is_system_bot ${condition}
  ORDER BY u.id FOR SHARE`;
