import { disableEndpoints, removeEndpointsOfOwner } from '@switchboard/webhooks';
import type { Tx } from '@switchboard/database';

/**
 * Disables the event webhooks that the given accounts have created, because the accounts are no longer active
 * administrators.
 */
export async function disableEventWebhooksOfAccounts(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<void> {
  await disableEndpoints(tx, { owner: String(realmId), field: 'userId', values: userIds.map(String) });
}

/**
 * Deletes the event webhooks of a realm, and at most `limit` of their deliveries. Returns the number of deleted rows; 0
 * if no rows are left.
 */
export function removeEventWebhooks(tx: Tx, realmId: number, limit: number): Promise<number> {
  return removeEndpointsOfOwner(tx, { owner: String(realmId), limit });
}

/** SQL condition over `users u` that is true if the user has created an enabled event webhook. */
export const userOwnsEventWebhookSql = `EXISTS (
  SELECT FROM webhooks.endpoints hook
  WHERE hook.owner = u.realm_id::text AND hook.enabled AND hook.metadata ->> 'userId' = u.id::text)`;
