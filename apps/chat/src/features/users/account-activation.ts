import type { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { revokeInvitationsOfAccounts, emitInvitesChanged } from '../invitations/index.js';
import { disableEventWebhooksOfAccounts } from '../../core/event-webhooks/index.js';
import { emitUserGroupMembershipChanges } from '../../core/user-groups/index.js';
import { deleteVideoCallTokens } from '../video-calls/index.js';
import { emitSubscriptionEventsOfActivation } from './emit-subscriber-activity-changes.js';
import {
  createBotAudienceLookup,
  getAudiencesOfUserEvents,
  realmBotUpdateEvent,
  realmUserUpdateEvent,
} from '../../core/users/index.js';
import type { ChatTransaction } from '../../infra/open-prisma.js';

export interface AccountToDeactivateOrReactivate {
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
  events: ChatEventWriter,
  tx: ChatTransaction,
  realmId: number,
  accounts: readonly AccountToDeactivateOrReactivate[],
): Promise<void> {
  const userIds = accounts.map(({ id }) => id);
  await tx.query('UPDATE users SET is_active = false WHERE id = ANY($1)', [userIds]);
  await tx.query('DELETE FROM sessions WHERE user_id = ANY($1)', [userIds]);
  await tx.query('DELETE FROM email_changes WHERE user_id = ANY($1)', [userIds]);
  await deleteVideoCallTokens(tx, userIds);
  await disableEventWebhooksOfAccounts(tx, realmId, userIds);
  const inviterIds = await revokeInvitationsOfAccounts(tx, userIds);
  if (inviterIds.length > 0) await emitInvitesChanged(events, tx, realmId, inviterIds);
  await emitSubscriptionEventsOfActivation(events, tx, realmId, { userIds, isActive: false });
  await emitUserGroupMembershipChanges(events, tx, realmId, { userIds, isActive: false });
  await emitActivationChange(events, tx, realmId, accounts, false);
  for (const id of userIds) chatAudit.add(tx, 'user_deactivated', { id });
  events.endEventQueuesOfAccounts(tx, realmId, userIds);
}

/**
 * Reactivates an account. Emits events about the reactivation first, then about restored group memberships and
 * subscriptions.
 */
export async function reactivateAccount(
  events: ChatEventWriter,
  tx: ChatTransaction,
  realmId: number,
  account: AccountToDeactivateOrReactivate,
): Promise<void> {
  const userIds = [account.id];
  await tx.query('UPDATE users SET is_active = true WHERE id = $1', userIds);
  await emitActivationChange(events, tx, realmId, [account], true);
  chatAudit.add(tx, 'user_reactivated', { id: account.id });
  await emitUserGroupMembershipChanges(events, tx, realmId, { userIds, isActive: true });
  await emitSubscriptionEventsOfActivation(events, tx, realmId, { userIds, isActive: true });
}

async function emitActivationChange(
  events: ChatEventWriter,
  tx: ChatTransaction,
  realmId: number,
  accounts: readonly AccountToDeactivateOrReactivate[],
  isActive: boolean,
): Promise<void> {
  const audiences = await getAudiencesOfUserEvents(
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
  const admins = await createBotAudienceLookup(tx, realmId);
  for (const { id, botOwnerId } of bots) {
    const payload = { userId: id, change: { is_active: isActive } };
    events.write(tx, realmId, realmBotUpdateEvent, { audience: admins(botOwnerId), payload });
  }
}
