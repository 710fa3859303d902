import { Injectable } from '@nestjs/common';
import { type ChatActor, isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { type ActorRights, requireOwner } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { checkEmailDomain } from '../realm-domains/index.js';
import { readVisibilityBeforeRoleChange, emitRoleChangeVisibilityEvents } from './emit-role-visibility-changes.js';
import { disableEventWebhooksOfAccounts } from '../../core/event-webhooks/index.js';
import { assignUsersToRoleGroups, emitSystemGroupMemberChanges } from '../../core/user-groups/index.js';
import {
  getAudienceOfUserEvents,
  checkEmail,
  checkFullName,
  checkUserNameIsUnique,
  countActiveRealmOwners,
  realmUserEmailEvent,
  realmUserUpdateEvent,
  type UserRecord,
} from '../../core/users/index.js';
import type { ChatTransaction } from '../../infra/open-prisma.js';

/**
 * Changes properties of an account and emits each change to users who can see the account. The caller must have locked
 * the realm membership and the account, and loaded the actor's rights. A new value that is undefined or equals the old
 * value changes nothing.
 */
@Injectable()
export class AccountUpdater {
  constructor(private readonly events: ChatEventWriter) {}

  /** Changes the full name of an account. @throws ApplicationError BAD_REQUEST */
  async changeFullName(
    tx: ChatTransaction,
    actor: ChatActor,
    target: UserRecord,
    requested: string | undefined,
  ): Promise<void> {
    if (requested === undefined) return;
    const name = checkFullName(requested);
    if (name === target.fullName) return;
    await checkUserNameIsUnique(tx, actor.realmId, name, target.id);
    await tx.query('UPDATE users SET full_name = $2 WHERE id = $1', [target.id, name]);
    const { audience } = await getAudienceOfUserEvents(tx, actor.realmId, target.id);
    const payload = { userId: target.id, change: { full_name: name } };
    this.events.write(tx, actor.realmId, realmUserUpdateEvent, { audience, payload });
  }

  /**
   * Changes the role of an account and the system group to which the account belongs. Event webhooks of former
   * administrators are disabled.
   * @throws ApplicationError
   */
  async changeRole(
    tx: ChatTransaction,
    rights: ActorRights,
    actor: ChatActor,
    target: UserRecord,
    requested: number | undefined,
  ): Promise<void> {
    if (requested === undefined || requested === target.role) return;
    if (isGuest(target) && isOwnerOrAdministrator({ role: requested }))
      throw createBadRequestError('Guests cannot be organization administrators');
    if (target.role === userRoleNumbers.owner || requested === userRoleNumbers.owner) requireOwner(rights);
    if (target.role === userRoleNumbers.owner && target.isActive && !target.isBot)
      await requireAnotherRealmOwner(tx, actor.realmId);
    // The audience is read before the change: guests who lose sight of the account must still receive the event.
    const { audience } = await getAudienceOfUserEvents(tx, actor.realmId, target.id);
    const sight = target.isActive
      ? await readVisibilityBeforeRoleChange(tx, createViewerForAccount(actor, target))
      : null;
    await tx.query('UPDATE users SET role = $2 WHERE id = $1', [target.id, requested]);
    chatAudit.add(tx, 'user_role_changed', {
      id: target.id,
      before: { role: target.role },
      after: { role: requested },
    });
    if (!isOwnerOrAdministrator({ role: requested }))
      await disableEventWebhooksOfAccounts(tx, actor.realmId, [target.id]);
    const payload = { userId: target.id, change: { role: requested } };
    this.events.write(tx, actor.realmId, realmUserUpdateEvent, { audience, payload });
    const groups = await assignUsersToRoleGroups(tx, actor.realmId, [target.id]);
    emitSystemGroupMemberChanges(this.events, tx, actor.realmId, groups);
    if (sight !== null) await emitRoleChangeVisibilityEvents(tx, this.events, sight, requested);
  }

  /**
   * Changes the email address of an account. The actor must be an owner with permission from the operator.
   *
   * @throws ApplicationError
   */
  async changeEmail(
    tx: ChatTransaction,
    rights: ActorRights,
    actor: ChatActor,
    target: UserRecord,
    requested: string | undefined,
  ): Promise<void> {
    if (requested === undefined) return;
    requireOwner(rights);
    if (!rights.grants.canChangeUserEmails) throw createBadRequestError('User not authorized to change user emails');
    const email = checkEmail(requested);
    if (email !== target.deliveryEmail) await checkEmailDomain(tx, actor.realmId, email);
    await this.storeNewEmailAddress(tx, actor.realmId, target, email);
  }

  /**
   * Stores a new email address for an account, and emits the address to users who may see the address. The caller must
   * have validated the address.
   */
  async storeNewEmailAddress(tx: ChatTransaction, realmId: number, target: UserRecord, email: string): Promise<void> {
    if (email === target.deliveryEmail) return;
    await tx.query('UPDATE users SET delivery_email = $2, delivery_email_key = $3 WHERE id = $1', [
      target.id,
      email,
      normalizeTextForComparison(email),
    ]);
    chatAudit.add(tx, 'user_email_changed', { id: target.id });
    const { audience } = await getAudienceOfUserEvents(tx, realmId, target.id);
    const { id, emailVisibility, isBot, avatarSource, avatarVersion } = target;
    const payload = {
      id,
      deliveryEmail: email,
      emailVisibility,
      isBot,
      avatarSource: avatarSource === 'G' ? ('G' as const) : ('U' as const),
      avatarVersion,
    };
    this.events.write(tx, realmId, realmUserEmailEvent, { audience, payload });
  }
}

async function requireAnotherRealmOwner(tx: ChatTransaction, realmId: number): Promise<void> {
  if ((await countActiveRealmOwners(tx, realmId)) > 1) return;
  throw createBadRequestError('The owner permission cannot be removed from the only organization owner.');
}

/**
 * Returns an actor object for the given account. The object is used to compute the data of other accounts that the
 * account may see.
 */
function createViewerForAccount(actor: ChatActor, { id, role: own, deliveryEmail, isBot }: UserRecord): ChatActor {
  return { ...actor, id, role: own, deliveryEmail, kind: isBot ? 'bot' : 'user' };
}
