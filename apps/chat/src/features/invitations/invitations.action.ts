import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import {
  type ActorRights,
  loadActorRights,
  rejectBots,
  rejectGuests,
  requireAdmin,
  requireOwner,
} from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { RateLimiter } from '../../infra/rate-limits/index.js';
import { createRateLimitError } from '../../core/access/admission.guard.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { canActorInviteToRole } from './check-invitation-terms.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { readInvitationNames, writeInvitationMails } from './invitation-mail.js';
import { createInvitationLink } from './invitation-tokens.js';
import { emitInvitesChanged } from './invitations.events.js';
import { type InvitationRow, listInvitations, lockInvitation, revokeInvitation } from './invitations.repository.js';
import type { WireInvitation } from './invitations.schemas.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Lists, resends and revokes invitations (docs/contract/chat.md 2.H). */
@Injectable()
export class InvitationsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly mails: OutgoingMailWriter,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEventWriter,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Lists the invitations of the actor. For administrators, lists the invitations of all users.
   * @throws ApplicationError BAD_REQUEST
   */
  async list(actor: ChatActor, origin: string): Promise<{ invites: WireInvitation[] }> {
    rejectBots(actor);
    const rights = await loadActorRights(this.database, actor);
    rejectGuests(rights);
    const rows = await listInvitations(this.database, actor.realmId, rights.isAdmin ? null : actor.id);
    return { invites: rows.map((row) => this.#toWireInvitation(row, rights, origin)) };
  }

  /**
   * Revokes an invitation.
   *
   * @throws ApplicationError BAD_REQUEST `No such invitation`, UNAUTHORIZED_PRINCIPAL
   */
  async revoke(actor: ChatActor, id: number, isMultiuse: boolean): Promise<void> {
    rejectBots(actor);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const invitation = await lockManageableInvitation(tx, actor, id, isMultiuse);
      await revokeInvitation(tx, id);
      await emitInvitesChanged(this.events, tx, actor.realmId, [invitation.inviterId]);
    });
  }

  /**
   * Emails the link of an invitation again.
   *
   * @throws ApplicationError as {@link revoke}, and RATE_LIMIT_HIT
   */
  async resend(actor: ChatActor, origin: string, id: number): Promise<void> {
    rejectBots(actor);
    const taken = await this.limiter.countRequestAgainstLimit('EMAIL_BY_IP', `invitation:${actor.id}:${id}`);
    if (taken !== null && taken.waitMs > 0) throw createRateLimitError(taken);
    await this.database.inTransaction(async (tx) => {
      const { email, inviterId, invitedAs, tokenSealed } = await lockManageableInvitation(tx, actor, id, false);
      // Without the inviter's permission the link would be rejected.
      const rights = await loadActorRights(tx, { id: inviterId });
      if (!canActorInviteToRole(rights, { invitedAs, isMultiuse: false }))
        throw createBadRequestError('Insufficient permission');
      const token = this.apiKeys.decryptStoredApiKey(inviterId, tokenSealed);
      const names = await readInvitationNames(tx, inviterId);
      writeInvitationMails(this.mails, tx, origin, names, [{ email: email ?? '', token }]);
    });
  }

  /**
   * Converts an invitation to the JSON form of the API. If the invitation grants the role of an owner, its URL is empty
   * for viewers who are not owners. Otherwise these viewers could use the URL to become owners.
   */
  #toWireInvitation(row: InvitationRow, rights: ActorRights, origin: string): WireInvitation {
    const common = {
      id: row.id,
      invited_by_user_id: row.inviterId,
      invited: row.invitedAt,
      expiry_date: row.expiresAt,
      invited_as: row.invitedAs,
      notify_referrer_on_join: row.notifiesInviter,
    };
    if (row.email !== null) return { ...common, is_multiuse: false, email: row.email };
    if (row.invitedAs === userRoleNumbers.owner && !rights.isOwner)
      return { ...common, is_multiuse: true, link_url: '' };
    const token = this.apiKeys.decryptStoredApiKey(row.inviterId, row.tokenSealed);
    return { ...common, is_multiuse: true, link_url: createInvitationLink(origin, token) };
  }
}

/**
 * Locks a pending invitation of the actor. Administrators may also access invitations of other users. Only owners may
 * access invitations that grant the role of an owner.
 */
async function lockManageableInvitation(
  tx: Tx,
  actor: ChatActor,
  id: number,
  isMultiuse: boolean,
): Promise<InvitationRow> {
  const rights = await loadActorRights(tx, actor);
  rejectGuests(rights);
  const invitation = await lockInvitation(tx, actor.realmId, id, isMultiuse);
  if (invitation === null || (invitation.inviterId !== actor.id && !rights.isAdmin)) {
    throw createBadRequestError('No such invitation');
  }
  if (invitation.inviterId === actor.id) return invitation;
  if (invitation.invitedAs === userRoleNumbers.owner) requireOwner(rights);
  else requireAdmin(rights);
  return invitation;
}
