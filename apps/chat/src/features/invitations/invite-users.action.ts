import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import {
  loadActorRights,
  rejectBots,
  rejectGuests,
  requireActorRealmPermission,
} from '../../core/access/actor-rights.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { checkInvitationRights } from './check-invitation-terms.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { readInvitationNames, writeInvitationMails } from './invitation-mail.js';
import { createInvitationLink, createInvitationToken } from './invitation-tokens.js';
import { emitInvitesChanged } from './invitations.events.js';
import {
  addInvitations,
  countAddressesInvitedWithinDay,
  type InvitationGrantsAndLifetime,
  revokeEarlierInvitations,
} from './invitations.repository.js';
import type { emailInvitationParameters, reusableInvitationLinkParameters } from './invitations.schemas.js';
import {
  createInvitationFailedError,
  type CheckedInvitees,
  checkInvitees,
  splitEmailAddresses,
} from './check-invitees.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealm, lockRealmMembership } from '../../core/database-locks.js';

type EmailInvitationParameters = DecodedParametersOfDefinition<typeof emailInvitationParameters>;
type ReusableInvitationLinkParameters = DecodedParametersOfDefinition<typeof reusableInvitationLinkParameters>;

/** Invites users by email, or by a reusable link (docs/contract/chat.md 2.H). */
@Injectable()
export class InviteUsers {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly mails: OutgoingMailWriter,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'INVITES_PER_DAY'>,
    private readonly apiKeys: ApiKeyStore,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Invites users by email. Sends no invitation to an address that already belongs to an account, and reports the
   * address in the response.
   *
   * @throws ApplicationError INVITATION_FAILED, BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async inviteByMail(actor: ChatActor, origin: string, parameters: EmailInvitationParameters): Promise<void> {
    rejectBots(actor);
    const addresses = splitEmailAddresses(parameters.invitee_emails);
    if (addresses.length === 0) throw createBadRequestError('You must specify at least one email address.');
    const { members } = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      // The lock serializes invitations of a realm, because they share one limit.
      await lockRealm(tx, actor.realmId);
      const rights = await loadActorRights(tx, actor);
      rejectGuests(rights);
      requireActorRealmPermission(rights, 'can_invite_users_group');
      await checkInvitationRights(tx, actor, rights, parameters);
      const judged = await checkInvitees(tx, actor.realmId, addresses);
      await this.#checkNumber(tx, actor.realmId, judged);
      await this.#send(tx, actor, origin, toInvitationTerms(actor, parameters), judged.emails);
      return judged;
    });
    if (members.length === 0) return;
    throw createInvitationFailedError('Some of these people have an account already. All others were invited.', {
      errors: members,
      sent: true,
    });
  }

  /**
   * Creates a reusable invitation link.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async createInviteLink(
    actor: ChatActor,
    origin: string,
    parameters: ReusableInvitationLinkParameters,
  ): Promise<{ invite_link: string }> {
    rejectBots(actor);
    const token = createInvitationToken(this.apiKeys, actor.id);
    await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      const rights = await loadActorRights(tx, actor);
      rejectGuests(rights);
      requireActorRealmPermission(rights, 'create_multiuse_invite_group');
      await checkInvitationRights(tx, actor, rights, parameters);
      const terms = toInvitationTerms(actor, { ...parameters, notify_referrer_on_join: false });
      await addInvitations(tx, terms, [{ email: null, token }]);
      await emitInvitesChanged(this.events, tx, actor.realmId, [actor.id]);
      chatAudit.add(tx, 'invitation_created', {
        id: actor.realmId,
        role: terms.invitedAs,
        count: null,
        groups: terms.groupIds,
      });
    });
    return { invite_link: createInvitationLink(origin, token.token) };
  }

  async #checkNumber(
    tx: ChatTransaction,
    realmId: number,
    { emails, invalid, members }: CheckedInvitees,
  ): Promise<void> {
    if (invalid.length > 0) {
      throw createInvitationFailedError('Some addresses are not valid. Nobody was invited.', {
        errors: [...invalid, ...members],
      });
    }
    if (emails.length === 0) {
      throw createInvitationFailedError('All of these people have an account already.', { errors: members });
    }
    if ((await countAddressesInvitedWithinDay(tx, realmId)) + emails.length > this.config.INVITES_PER_DAY) {
      throw createInvitationFailedError('There were too many invitations today. Nobody was invited.', {
        dailyLimit: true,
      });
    }
  }

  async #send(
    tx: ChatTransaction,
    actor: ChatActor,
    origin: string,
    terms: InvitationGrantsAndLifetime,
    emails: readonly string[],
  ): Promise<void> {
    const invited = emails.map((email) => ({ email, token: createInvitationToken(this.apiKeys, actor.id) }));
    const others = await revokeEarlierInvitations(tx, actor.realmId, emails);
    await addInvitations(tx, terms, invited);
    const mails = invited.map(({ email, token }) => ({ email, token: token.token }));
    writeInvitationMails(this.mails, tx, origin, await readInvitationNames(tx, actor.id), mails);
    await emitInvitesChanged(this.events, tx, actor.realmId, [actor.id, ...others]);
    chatAudit.add(tx, 'invitation_created', {
      id: actor.realmId,
      role: terms.invitedAs,
      count: emails.length,
      groups: terms.groupIds,
    });
  }
}

function toInvitationTerms(
  actor: ChatActor,
  parameters: Omit<EmailInvitationParameters, 'invitee_emails'>,
): InvitationGrantsAndLifetime {
  return {
    realmId: actor.realmId,
    inviterId: actor.id,
    invitedAs: parameters.invite_as,
    channelIds: [...new Set(parameters.stream_ids)],
    groupIds: [...new Set(parameters.group_ids)],
    includesDefaultChannels: parameters.include_realm_default_subscriptions,
    notifiesInviter: parameters.notify_referrer_on_join,
    welcomeText: parameters.welcome_message_custom_text ?? null,
    expiresInMinutes: parameters.invite_expires_in_minutes,
  };
}
