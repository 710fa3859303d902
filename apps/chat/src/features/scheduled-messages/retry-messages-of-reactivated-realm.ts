import type { Tx } from '@switchboard/database';
import { retryFailedMessagesOfRealm } from './delivery/due-messages.repository.js';
import { realmDeactivatedFailureReason } from './delivery/mark-message-failed.js';

/**
 * Schedules a new attempt for the messages and reminders that became due while the realm was deactivated. The worker
 * sends reminders and messages that are at most ten minutes late. It marks the other messages as failed and notifies
 * their authors. The transaction must have locked the realm's membership exclusively (`addSystemBots` does).
 */
export const retryMessagesOfReactivatedRealm = (tx: Tx, realmId: number): Promise<void> =>
  retryFailedMessagesOfRealm(tx, realmId, realmDeactivatedFailureReason);
