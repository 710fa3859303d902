import type { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { revokeInvitationsOfAccounts, emitInvitesChanged } from '../invitations/index.js';
import { disableEventWebhooksOfAccounts } from '../../core/event-webhooks/index.js';
import { emitMembershipChanges } from '../../core/user-groups/index.js';
import { deleteCallTokens } from '../video-calls/index.js';
import { emitSubscriberActivityChanges } from './emit-subscriber-activity-changes.js';
import {
  getAudienceOfBot,
  getAudiencesOfUsers,
  realmBotUpdateEvent,
  realmUserUpdateEvent,
} from '../../core/users/index.js';
import type { ChatTx } from '../../infra/open-prisma.js';

/** Account that is to be deactivated or reactivated. */
export interface AccountToChange {
  readonly id: number;
  readonly isBot: boolean;
  readonly botOwnerId: number | null;
}

/**
 * Deactivates accounts. Removes the sessions, video-call tokens, invitations, requested email changes and event queues
 * of the accounts, and disables their event webhooks. Emits events about ended subscriptions and group memberships
 * first, then about the deactivation (docs/contract/chat.md 3.5 and 6.5). The number of statements does not depend on
 * the number of accounts.
 */
export async function deactivateAccounts(
  events: ChatEvents,
  tx: ChatTx,
  realmId: number,
  accounts: readonly AccountToChange[],
): Promise<void> {
  const userIds = accounts.map(({ id }) => id);
  await tx.query('UPDATE users SET is_active = false WHERE id = ANY($1)', [userIds]);
  await tx.query('DELETE FROM sessions WHERE user_id = ANY($1)', [userIds]);
  await tx.query('DELETE FROM email_changes WHERE user_id = ANY($1)', [userIds]);
  await deleteCallTokens(tx, userIds);
  await disableEventWebhooksOfAccounts(tx, realmId, userIds);
  const inviterIds = await revokeInvitationsOfAccounts(tx, userIds);
  if (inviterIds.length > 0) await emitInvitesChanged(events, tx, realmId, inviterIds);
  await emitSubscriberActivityChanges(events, tx, realmId, { userIds, isActive: false });
  await emitMembershipChanges(events, tx, realmId, { userIds, isActive: false });
  await emitActivationChange(events, tx, realmId, accounts, false);
  for (const id of userIds) chatAudit.add(tx, 'user_deactivated', { id });
  events.endQueues(tx, realmId, userIds);
}

/**
 * Reactivates an account. Emits events about the reactivation first, then about restored group memberships and
 * subscriptions.
 */
export async function reactivateAccount(
  events: ChatEvents,
  tx: ChatTx,
  realmId: number,
  account: AccountToChange,
): Promise<void> {
  const userIds = [account.id];
  await tx.query('UPDATE users SET is_active = true WHERE id = $1', userIds);
  await emitActivationChange(events, tx, realmId, [account], true);
  chatAudit.add(tx, 'user_reactivated', { id: account.id });
  await emitMembershipChanges(events, tx, realmId, { userIds, isActive: true });
  await emitSubscriberActivityChanges(events, tx, realmId, { userIds, isActive: true });
}

async function emitActivationChange(
  events: ChatEvents,
  tx: ChatTx,
  realmId: number,
  accounts: readonly AccountToChange[],
  isActive: boolean,
): Promise<void> {
  const audiences = await getAudiencesOfUsers(
    tx,
    realmId,
    accounts.map(({ id }) => id),
  );
  for (const { id } of accounts) {
    const audience = audiences.get(id)?.audience ?? { all: true };
    const payload = { userId: id, change: { is_active: isActive } };
    events.write(tx, realmId, realmUserUpdateEvent, { audience, payload });
  }
  const bots = accounts.filter(({ isBot }) => isBot);
  if (bots.length === 0) return;
  const admins = await getAudienceOfBot(tx, realmId);
  for (const { id, botOwnerId } of bots) {
    const payload = { userId: id, change: { is_active: isActive } };
    events.write(tx, realmId, realmBotUpdateEvent, { audience: admins(botOwnerId), payload });
  }
}
