import { addSystemBots } from '../../core/users/index.js';
import { retryMessagesOfReactivatedRealm } from '../../features/scheduled-messages/index.js';
import type { ChatRuntime } from '../runtime.js';
import { getRealmId } from './accounts.js';
import { AdminError } from './admin-error.js';

/**
 * Minimum remaining time, in milliseconds, before the deletion of an organization that can still be reactivated. The
 * clocks of different machines may differ by this time.
 */
const minTimeBeforeRealmDeletionMs = 60_000;

/**
 * Reactivates a deactivated organization, and cancels the deletion of its data. Its users have to sign in again.
 * Scheduled messages that became due during the deactivation are sent if they are at most ten minutes late. Later ones
 * are marked as failed. Returns the id of the organization.
 *
 * @throws AdminError if the organization is active, or if the deletion of its data is due
 */
export async function reactivateRealm(
  { database, realmSites, credentials, clock, apiKeys }: ChatRuntime,
  stringId: string | undefined,
): Promise<number> {
  const realmId = await database.inTransaction(async (tx) => {
    const id = await getRealmId(tx, stringId);
    await addSystemBots(tx, apiKeys, id);
    const notDue = { gt: new Date(clock.now() + minTimeBeforeRealmDeletionMs) };
    const { count } = await tx.prisma.realm.updateMany({
      where: { id, deactivated: true, OR: [{ deletionDueAt: null }, { deletionDueAt: notDue }] },
      data: { deactivated: false, deletionDueAt: null },
    });
    if (count > 0) {
      await retryMessagesOfReactivatedRealm(tx, id);
      return id;
    }
    const deactivated = await tx.prisma.realm.count({ where: { id, deactivated: true } });
    throw new AdminError(
      deactivated === 0 ? 'The organization is not deactivated.' : 'The data of the organization is being deleted.',
    );
  });
  await Promise.all([realmSites.invalidate(), credentials.evictByTag(`realm:${realmId}`)]);
  return realmId;
}
